// Collects the transfers between processes and inside a process: tensors that
// one process requests from another, tensors that go through a rendezvous, and
// other calls between processes.
//
// The k-th request of a key belongs to the k-th answer of that key; likewise
// for sends and receives of a rendezvous. Times are nanoseconds since 1970,
// each on the clock of the host that recorded it. Names are ids in
// TraceFacts::names.

#ifndef TFPROF_LOADERS_CTF_EVENTS_TRANSFERS_H_
#define TFPROF_LOADERS_CTF_EVENTS_TRANSFERS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/ctf/events/event_schema.h"
#include "profile/tables/string_pool.h"

namespace tfprof::ctf {

// A tensor that one process requests from another.
struct Request {
  static constexpr int64_t kNoTime = INT64_MIN;
  static constexpr int64_t kNoStep = INT64_MIN;

  profile::StringId key = profile::kNone;
  uint32_t number = 0;  // among those of its key, from 0
  int64_t client_begin = kNoTime, client_end = kNoTime;
  int64_t server_seen = kNoTime;
  int64_t prepare_begin = kNoTime, prepare_end = kNoTime;
  uint32_t client = profile::kNone, server = profile::kNone;  // processes
  int64_t step = kNoStep;  // the step that the server received

  bool answered() const {
    return client_begin != kNoTime && client_end != kNoTime;
  }
  // When the server had received the request.
  int64_t seen() const {
    return server_seen != kNoTime ? server_seen : prepare_begin;
  }
  // True if, by the clocks, it was received before it was sent, or its answer
  // was received before it was sent.
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
  int64_t receive_wait_ns = 0;  // until the requested tensor was sent
  int64_t send_wait_ns = 0;     // until the sent tensor was requested
};

struct Transfers {
  struct Calls {
    int64_t sent = 0, seen = 0;
  };
  std::vector<Request> requests;
  LocalTransfers local;
  std::map<profile::StringId, Calls> calls;  // "RunGraph"
  int64_t encodes = 0, encoded_bytes = 0;    // tensors encoded for an answer
};

class TransferCollector {
 public:
  explicit TransferCollector(Transfers& transfers) : transfers_(transfers) {}

  // Adds an event of a request, from kRequestBegin to kPrepareEnd. `step` is
  // Request::kNoStep if the event does not have it.
  void Add(EventRole role, profile::StringId key, uint32_t process,
           int64_t time, int64_t step);
  // Adds one side of a request, with all its times.
  void AddSide(profile::StringId key, uint32_t process, bool is_server,
               int64_t begin, int64_t end);
  void AddLocal(bool is_send, uint32_t process, profile::StringId key,
                int64_t time);

 private:
  struct Keyed {
    uint32_t count[5] = {};  // by role
    std::vector<uint32_t> requests;
  };
  // Transfers that wait for a partner: either all sends or all receives.
  struct Waiting {
    bool are_sends = false;
    std::deque<int64_t> times;
  };

  Request& Find(profile::StringId key, EventRole role);

  Transfers& transfers_;
  absl::flat_hash_map<profile::StringId, Keyed> keyed_;
  absl::flat_hash_map<std::pair<uint32_t, profile::StringId>, Waiting> waiting_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_TRANSFERS_H_
