// EventStream: all events of the traces of a load, by time.
//
//   EventStream events(files, log);
//   while (events.Next()) { … events.event() … }
//
// Streams are merged: of two events of one time, the one of the earlier stream
// comes first. A packet whose data does not fit its types ends at the damage,
// which goes to the log; the next packet goes on. `files` and the log must
// outlive this. An event is valid until the next one.

#ifndef TFPROF_LOADERS_CTF_EVENT_STREAM_H_
#define TFPROF_LOADERS_CTF_EVENT_STREAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "loaders/ctf/decoding_plan.h"
#include "loaders/ctf/trace_files.h"
#include "loaders/import_log.h"

namespace tfprof::ctf {

struct Event {
  int64_t time = 0;  // nanoseconds since 1970
  const Trace* trace = nullptr;
  const StreamPlan* stream = nullptr;
  const EventPlan* plan = nullptr;
  const Value* values = nullptr;

  const EventClass& type() const { return trace->types.events[plan->event]; }
};

// The events of one stream, in the order of its packets.
class StreamReader {
 public:
  StreamReader(const PacketStream& stream, ImportLog& log)
      : stream_(stream), log_(log) {}

  // False: the stream has ended.
  bool Next();
  const Event& event() const { return event_; }

 private:
  bool BeginPacket();
  void Damage(const char* what);

  const PacketStream& stream_;
  ImportLog& log_;
  size_t next_packet_ = 0;
  const Packet* packet_ = nullptr;  // nullptr: none is open
  const StreamPlan* plan_ = nullptr;
  Cursor cursor_;
  std::vector<Value> values_;
  Event event_;
  // Nanoseconds are cycles plus this, if a cycle is a nanosecond.
  int64_t nanos_offset_ = 0;
  bool is_nanos_ = false;
};

class EventStream {
 public:
  EventStream(const TraceFiles& files, ImportLog& log);

  bool Next();
  const Event& event() const { return current_->event(); }

 private:
  struct Later {
    bool operator()(uint32_t a, uint32_t b) const {
      const int64_t x = (*readers)[a].event().time;
      const int64_t y = (*readers)[b].event().time;
      return x != y ? x > y : a > b;
    }
    const std::vector<StreamReader>* readers;
  };

  std::vector<StreamReader> readers_;
  std::vector<uint32_t> heap_;  // the readers beside the current one
  StreamReader* current_ = nullptr;
  uint32_t current_number_ = 0;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENT_STREAM_H_
