// The table of the events of known tracers: provider:event, what it means (its
// role), and the names of the fields that the role needs. A new provider is
// rows here.
//
// The rows cover the tracepoints of the LTTng profiler for TensorFlow
// (TensorFlow, StreamExecutor, gRPC, CUDA, HC, HIP, HSA, OpenCL), those that
// its rewriter adds, the Python logging domain, and tfprof's own events
// (record/event_types.h has the fields of those that it writes today).

#ifndef TFPROF_LOADERS_CTF_EVENTS_EVENT_SCHEMA_H_
#define TFPROF_LOADERS_CTF_EVENTS_EVENT_SCHEMA_H_

#include <cstdint>
#include <string_view>

namespace tfprof::ctf {

enum class EventRole : uint8_t {
  kOpBegin,  // on a thread; ends inside the same thread
  kOpEnd,
  kAsyncBegin,  // ends on any thread
  kAsyncEnd,
  kSessionBegin,
  kSessionEnd,
  kCallBegin,  // of an API, by a thread
  kCallEnd,
  kRangeBegin,  // of a framework, on a thread
  kRangeEnd,
  kQueued,  // of an activity of a device, told later by the host
  kSubmitted,
  kBegin,
  kEnd,
  kLaunch,    // of a kernel, which has its name, on a queue
  kCallback,  // a completion callback ran
  kAllocator,
  kAllocate,
  kFree,
  kRequestBegin,  // RecvTensor, at the client
  kRequestEnd,
  kRequestSeen,  // at the server
  kPrepareBegin,
  kPrepareEnd,
  kSend,        // a tensor into a rendezvous of the process; `place` is its key
  kReceive,     // one out of it is asked for
  kRemoteCall,  // to another process; sent
  kRemoteCallSeen,
  kEncode,     // a tensor becomes bytes of an answer
  kState,      // all numbers of an allocator at this time
  kCommand,    // tfprof:cl_command, a finished command with all its times
  kCall,       // of an API, told later, with its thread and times
  kTransfer,   // RecvTensor, one side of it, with its times
  kClockPair,  // the clock of a device between two times of the host
  kThreadName,
  kNote,  // of the recorder, for people
  kLog,
  kCounter,   // `value` of `place` at the time of the event
  kGeometry,  // sizes of the kernel whose counters follow
  kKnown,     // counted only
};

// How the field `time` of an activity becomes time since 1970.
enum class DeviceClock : uint8_t {
  kEvent,      // there is no such field: the time of the event
  kUnknown,    // bounds are found from what the host did (device_clock.h)
  kMicros,     // microseconds since 1970
  kNanos,      // nanoseconds since 1970
  kMonotonic,  // nanoseconds of the clock of the trace
  kSinceInit,  // nanoseconds since the first hsa_init
};

// The kinds of work of a device.
enum class DeviceWork : uint8_t { kNone, kKernel, kCopy, kOther };

struct EventRow {
  std::string_view event;
  EventRole role = EventRole::kKnown;
  DeviceWork work = DeviceWork::kNone;
  DeviceClock clock = DeviceClock::kEvent;
  std::string_view name = {};   // field with the name of what begins or ends
  std::string_view place = {};  // device, allocator, key, queue, op
  std::string_view value = {};  // bytes, count
  std::string_view time = {};
};

// nullptr: the event is not in the table. A row may stand for all events that
// begin with its name and a "*".
const EventRow* FindEventRow(std::string_view event);

// Calls of an API that put work into a queue of a device, and those of them
// that launch a kernel.
bool IsEnqueueCall(std::string_view name);
bool IsKernelLaunchCall(std::string_view name);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_EVENT_SCHEMA_H_
