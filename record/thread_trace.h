// ThreadTrace: where one thread of the recorded process writes its events.
//
// Each thread has a packet, which is a file of its own (`tail_N`) that is
// mapped. An event is copied into it, and then the head of the packet says so:
// the trace is whole after each event, and nothing has to be flushed, at no
// kind of end of the process. A full packet is appended to the file `stream_N`,
// with one write, and its memory is used again. If that fails (no space, the
// limit, the folder is gone), events are dropped and counted until it works
// again. When a thread ends, another one goes on with its files.
//
// With TFPROF_RECORD_LTTNG events become tracepoints of LTTng-UST instead, and
// this writes no file.
//
// The process has a folder, `NAME-PID`, with a file `metadata`. Both are made
// with the first event, so that processes without events leave nothing. After
// fork the child begins with a folder of its own.

#ifndef TFPROF_RECORD_THREAD_TRACE_H_
#define TFPROF_RECORD_THREAD_TRACE_H_

#include <cstdint>
#include <cstring>
#include <string_view>

#include "record/packet.h"

namespace tfprof::record {

// What nests on a thread.
enum class Nested : uint8_t { kOp, kRange, kCall };
inline constexpr int kNumNested = 3;

// Gives an event to another tracer: its id and its fields, one behind the
// other.
using EmitFunction = void (*)(uint8_t id, const char* fields);

struct ThreadTrace {
  // ---- Used by each event.
  char* cursor = nullptr;  // null: no packet
  char* limit = nullptr;
  PacketHead* head = nullptr;
  // That of the process when the thread got its stream: another one means that
  // this is a child, and nothing here is of use.
  uint32_t generation = 0;
  // An event is being written. A signal handler that finds it drops its own.
  volatile bool is_busy = false;
  // If it is there, no packet is, and events go there.
  EmitFunction emit = nullptr;
  uint32_t thread = 0;
  uint16_t depth[kNumNested] = {};
  // Whether the begin of each open one was written; bit = depth.
  uint64_t is_written[kNumNested] = {};

  // ---- Used by each packet.
  uint64_t file_bytes = 0;   // of stream_N
  uint64_t next_packet = 0;  // its number
  uint64_t discarded = 0;    // events of the stream
  uint64_t retry_at = 0;     // time after which writing is tried again
  uint32_t stream = 0;
  ThreadTrace* next_free = nullptr;
};

// Begins to use the trace of the calling thread. Null: the event is dropped,
// because nothing is recorded, or a signal handler interrupted the recorder.
// `is_nested`: also during a pause, if the thread has recorded before. What is
// open on it must be counted then, and what was begun before can end.
ThreadTrace* Enter(bool is_nested = false);
inline void Leave(ThreadTrace& trace) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  trace.is_busy = false;
}

// Makes room for `bytes` in a packet, and counts an event that has none.
bool MakeRoom(ThreadTrace& trace, uint32_t bytes);

// Whether something is being recorded, or could be. See sink.h.
bool IsOn();
bool IsRecordedProcess();
void SetPaused(bool paused);
uint32_t KnownThreadId();

// Records into a folder from now on, as if the process had been started by
// `tfprof record`. For tests and benchmarks; `packet_bytes` and `max_bytes` 0:
// as usual.
void StartRecording(const char* folder, uint64_t packet_bytes,
                    uint64_t max_bytes);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_THREAD_TRACE_H_
