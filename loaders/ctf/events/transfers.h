// What processes and parts of a process send each other: tensors that one
// process asks of another, tensors that go through a rendezvous of one process,
// and other calls between processes.
//
// The k-th request of a key has the k-th answer of that key; so do sends and
// receives of a rendezvous. Times are nanoseconds since 1970, each on the clock
// of the host where it was taken. Names are ids of TraceFacts::names.

#ifndef TFPROF_LOADERS_CTF_EVENTS_TRANSFERS_H_
#define TFPROF_LOADERS_CTF_EVENTS_TRANSFERS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/ctf/events/event_schema.h"
#include "profile/string_pool.h"

namespace tfprof::ctf {

// A tensor that one process asks of another.
struct Request {
  static constexpr int64_t kNoTime = INT64_MIN;
  static constexpr int64_t kNoStep = INT64_MIN;

  StringId key = kNone;
  uint32_t number = 0;  // of its key, from 0
  int64_t client_begin = kNoTime, client_end = kNoTime;
  int64_t server_seen = kNoTime;
  int64_t prepare_begin = kNoTime, prepare_end = kNoTime;
  uint32_t client = kNone, server = kNone;  // processes
  int64_t step = kNoStep;                   // as the server was told

  bool answered() const {
    return client_begin != kNoTime && client_end != kNoTime;
  }
  // When the server knew of it.
  int64_t seen() const {
    return server_seen != kNoTime ? server_seen : prepare_begin;
  }
  // True if, by its clocks, it was seen before it was sent, or its answer came
  // before it was made.
  bool violates_causality() const {
    return (client_begin != kNoTime && seen() != kNoTime &&
            seen() < client_begin) ||
           (client_end != kNoTime && prepare_end != kNoTime &&
            client_end < prepare_end);
  }
};

// Tensors that went through a rendezvous of their process.
struct LocalTransfers {
  int64_t sends = 0, receives = 0;
  int64_t matched = 0;          // sends that have a receive
  int64_t receive_first = 0;    // of these, the receive came first
  int64_t receive_wait_ns = 0;  // until what was asked for was sent
  int64_t send_wait_ns = 0;     // until what was sent was asked for
};

struct Transfers {
  struct Calls {
    int64_t sent = 0, seen = 0;
  };
  std::vector<Request> requests;
  LocalTransfers local;
  std::map<StringId, Calls> calls;         // "RunGraph"
  int64_t encodes = 0, encoded_bytes = 0;  // tensors as bytes of an answer
};

class TransferCollector {
 public:
  explicit TransferCollector(Transfers& transfers) : transfers_(transfers) {}

  // An event of a request, from kRequestBegin to kPrepareEnd. `step` is
  // Request::kNoStep if the event does not tell it.
  void Add(EventRole role, StringId key, uint32_t process, int64_t time,
           int64_t step);
  // One side of a request, with all its times.
  void AddSide(StringId key, uint32_t process, bool is_server, int64_t begin,
               int64_t end);
  void AddLocal(bool is_send, uint32_t process, StringId key, int64_t time);

 private:
  struct Keyed {
    uint32_t count[5] = {};  // by role
    std::vector<uint32_t> requests;
  };
  // The transfers that wait for their partner: all are sends, or all receives.
  struct Waiting {
    bool are_sends = false;
    std::deque<int64_t> times;
  };

  Request& Find(StringId key, EventRole role);

  Transfers& transfers_;
  absl::flat_hash_map<StringId, Keyed> keyed_;
  absl::flat_hash_map<std::pair<uint32_t, StringId>, Waiting> waiting_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_TRANSFERS_H_
