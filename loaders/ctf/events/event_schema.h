// The table of the events of known tracers: the name (provider:event), the
// meaning of the event (its role), and the names of the fields that the role
// needs. A new provider needs only rows here.
//
// The rows cover the tracepoints of the LTTng profiler for TensorFlow
// (TensorFlow, StreamExecutor, gRPC, CUDA, HC, HIP, HSA, OpenCL), the events
// that its rewriter adds, the Python logging domain, and tfprof's own events
// (record/event_types.h lists the fields that tfprof writes today).

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
  kCallBegin,  // an API call of a thread
  kCallEnd,
  kRangeBegin,  // a range of a framework, on a thread
  kRangeEnd,
  kQueued,  // times of a device activity, recorded later
  kSubmitted,
  kBegin,
  kEnd,
  kLaunch,    // of a named kernel, on a queue
  kCallback,  // a completion callback ran
  kAllocator,
  kAllocate,
  kFree,
  kRequestBegin,  // RecvTensor, at the client
  kRequestEnd,
  kRequestSeen,  // RecvTensor, at the server
  kPrepareBegin,
  kPrepareEnd,
  kSend,        // a tensor goes to a rendezvous; `place` is its key
  kReceive,     // a tensor is requested from a rendezvous
  kRemoteCall,  // to another process; sent
  kRemoteCallSeen,
  kEncode,     // a tensor is encoded for an answer
  kState,      // all values of an allocator at this time
  kCommand,    // tfprof:cl_command, a finished command with all its times
  kCall,       // an API call with its thread and times
  kTransfer,   // RecvTensor, one side of it, with its times
  kClockPair,  // device clock, read between two host times
  kThreadName,
  kNote,  // a message of the recorder to the user
  kLog,
  kCounter,   // `value` of `place` at the time of the event
  kGeometry,  // the sizes of the kernel whose counters follow
  kKnown,     // counted only
};

// How to convert the field `time` of an activity to time since 1970.
enum class DeviceClock : uint8_t {
  kEvent,      // no such field: the time of the event is used
  kUnknown,    // bounds come from the host's events (device_clock.h)
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
  std::string_view name = {};   // field with the name of the interval
  std::string_view place = {};  // device, allocator, key, queue, op
  std::string_view value = {};  // bytes, count
  std::string_view time = {};
};

// Returns nullptr if the table does not have the event. A row whose name ends
// in "*" stands for all events that begin with that name.
const EventRow* FindEventRow(std::string_view event);

// Return whether an API call puts work into a queue of a device, and whether it
// launches a kernel.
bool IsEnqueueCall(std::string_view name);
bool IsKernelLaunchCall(std::string_view name);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_EVENTS_EVENT_SCHEMA_H_
