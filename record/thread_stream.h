// ThreadStream: the part of a trace that one thread of the recorded process
// writes.
//
// Each thread has a packet in a mapped file (`tail_N`). An event is copied into
// it, and then the head of the packet is updated. So the trace is complete
// after each event, and nothing has to be flushed however the process ends. A
// full packet is appended to the file `stream_N` with one write, and its memory
// is reused. If that fails (no space, limit reached, folder deleted), events
// are dropped and counted until it works again. When a thread ends, another one
// may continue its files.
//
// With TFPROF_RECORD_LTTNG, events become LTTng-UST tracepoints instead, and no
// file is written.
//
// The process has a folder `NAME-PID` with a file `metadata`. Both are created
// with the first event, so processes without events leave nothing. After fork,
// the child begins with its own folder.

#ifndef TFPROF_RECORD_THREAD_STREAM_H_
#define TFPROF_RECORD_THREAD_STREAM_H_

#include <cstdint>
#include <cstring>
#include <string_view>

#include "record/packet.h"

namespace tfprof::record {

// The kinds of events that nest on a thread.
enum class Nested : uint8_t { kOp, kRange, kCall };
inline constexpr int kNumNested = 3;

// Passes an event to another tracer: its id and its packed fields.
using EmitFunction = void (*)(uint8_t id, const char* fields);

struct ThreadStream {
  // ---- Used by each event.
  char* cursor = nullptr;  // null: no packet
  char* limit = nullptr;
  PacketHead* head = nullptr;
  // The generation of the process when the thread got its stream. If the
  // process has another one now, it is a forked child, and nothing here is
  // valid.
  uint32_t generation = 0;
  // An event is being written. A signal handler that sees this drops its own
  // event.
  volatile bool is_busy = false;
  // If set, events go there and there is no packet.
  EmitFunction emit = nullptr;
  uint32_t thread = 0;
  uint16_t depth[kNumNested] = {};
  // Bit N: the begin of the open event at depth N was written.
  uint64_t is_written[kNumNested] = {};

  // ---- Used by each packet.
  uint64_t file_bytes = 0;   // of stream_N
  uint64_t next_packet = 0;  // its number
  uint64_t discarded = 0;    // events of the stream
  uint64_t retry_at = 0;     // time after which writing is tried again
  uint32_t stream = 0;
  ThreadStream* next_free = nullptr;
};

// Begins to use the trace of the calling thread. Returns null if the event must
// be dropped, because nothing is recorded or a signal handler has interrupted
// the recorder. `is_nested` also succeeds during a pause if the thread has
// recorded before: open events must be counted then, and earlier ones may end.
ThreadStream* Enter(bool is_nested = false);
inline void Leave(ThreadStream& trace) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  trace.is_busy = false;
}

// Makes room for `bytes` in a packet; counts a dropped event if that fails.
bool MakeRoom(ThreadStream& trace, uint32_t bytes);

// The implementation of IsRecording(), IsRecorded(), Pause() and Resume(); see
// sink.h.
bool IsOn();
bool IsRecordedProcess();
void SetPaused(bool paused);
uint32_t KnownThreadId();

// Records into a folder from now on, as if `tfprof record` had started the
// process. For tests and benchmarks; 0 for `packet_bytes` and `max_bytes` means
// the default.
void StartRecording(const char* folder, uint64_t packet_bytes,
                    uint64_t max_bytes);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_THREAD_STREAM_H_
