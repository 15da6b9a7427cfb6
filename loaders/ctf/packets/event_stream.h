// EventStream: reads the events of all traces of a load, by time.
//
//   EventStream events(files, log);
//   while (events.Next()) { … events.event() … }
//
// Streams are merged; if two events have the same time, the event of the
// earlier stream comes first. If the data of a packet does not fit its types,
// the packet ends there, the damage goes to the log, and reading continues with
// the next packet. `files` and the log must outlive this. An event is valid
// until the next one.

#ifndef TFPROF_LOADERS_CTF_PACKETS_EVENT_STREAM_H_
#define TFPROF_LOADERS_CTF_PACKETS_EVENT_STREAM_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "loaders/core/import_log.h"
#include "loaders/ctf/packets/decoding_plan.h"
#include "loaders/ctf/packets/trace_files.h"

namespace tfprof::ctf {

struct Event {
  int64_t time = 0;  // nanoseconds since 1970
  const Trace* trace = nullptr;
  const StreamPlan* stream = nullptr;
  const EventPlan* plan = nullptr;
  const Value* values = nullptr;

  const EventClass& type() const { return trace->types.events[plan->event]; }
};

// Reads the events of one stream, in the order of its packets.
class StreamReader {
 public:
  // `notes`: for an account.
  StreamReader(const PacketStream& stream, loaders::ImportLog& log,
               StreamNotes* notes = nullptr)
      : stream_(stream), log_(log), notes_(notes) {}

  // Returns false at the end of the stream.
  bool Next();
  const Event& event() const { return event_; }
  // Whether the event is earlier than the one before it in the stream.
  bool goes_back() const { return goes_back_; }
  // Notes the bytes of the event. A byte that two events share is of the second
  // one.
  void NoteEvent(loaders::ByteNotes::Part part) const;

 private:
  bool BeginPacket();
  void Damage(const char* what);
  void NoteTime() const;

  const PacketStream& stream_;
  loaders::ImportLog& log_;
  StreamNotes* notes_;  // nullptr: nobody wants them
  uint64_t begin_ = 0;  // of the event, in bits of the packet
  int64_t last_ = std::numeric_limits<int64_t>::min();  // time of an event
  bool goes_back_ = false;
  size_t next_packet_ = 0;
  const Packet* packet_ = nullptr;  // nullptr: no packet is open
  const StreamPlan* plan_ = nullptr;
  Cursor cursor_;
  std::vector<Value> values_;
  Event event_;
  // If a cycle is a nanosecond, nanoseconds are cycles plus this offset.
  int64_t nanos_offset_ = 0;
  bool is_nanos_ = false;
};

class EventStream {
 public:
  EventStream(const TraceFiles& files, loaders::ImportLog& log);

  bool Next();
  const Event& event() const { return readers_[heap_.front().reader].event(); }

 private:
  // A reader and the time of its event.
  struct Entry {
    int64_t time;
    uint32_t reader;
  };
  static bool Before(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time < b.time : a.reader < b.reader;
  }
  // Moves the first entry to its place in the heap.
  void SiftDown();

  std::vector<StreamReader> readers_;
  // The readers with an event, as a heap with the earliest event first.
  std::vector<Entry> heap_;
  bool started_ = false;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_PACKETS_EVENT_STREAM_H_
