// The interface through which the sources of the recorder report events: the
// OpenCL layer, the hooks of TensorFlow, the plug-ins of GPUs, and the C
// interface.
//
// The recorder runs inside other people's programs. So nothing here, and
// nothing in a source, throws, prints, ends the process, takes a lock that
// another thread may hold for long, or uses malloc; no symbol of libstdc++ is
// used at run time (record/portable_test checks it). Events that cannot be
// recorded are dropped and counted, and a source then passes the call through
// unchanged.
//
// Every function may be called on any thread, before main, during exit and
// after fork. Times are nanoseconds of CLOCK_MONOTONIC: Now(). Strings are
// copied and cut after kMaxText bytes.

#ifndef TFPROF_RECORD_SINK_H_
#define TFPROF_RECORD_SINK_H_

#include <cstdint>
#include <string_view>

#include "record/tfprof_record.h"

namespace tfprof::record {

inline constexpr uint32_t kMaxText = 1000;
inline constexpr int64_t kNoStep = -1;

// True if events are being recorded: `tfprof record` started the process, its
// folder can be written, and the recording is not paused. A source checks this
// before it does extra work, such as creating an OpenCL event; the functions
// below check it too.
bool IsRecording();

// True in a recorded process, even while the recording is paused. Hooks that
// can be installed only once check this.
bool IsRecorded();

// The value of an environment variable of the recorder, or "" if it is not set.
// Sources are switched off this way: "TFPROF_RECORD_OPENCL=off".
std::string_view Setting(const char* name);

uint64_t Now();
// An id for a correlation, unique within the process; never 0.
uint64_t NewId();
// gettid(), cached for each thread.
uint32_t ThreadId();

// ---- Events that nest on a thread. An end closes the last open event of the
// same kind of its thread. If the begin was dropped, so is the end.

// `device` is TensorFlow's name, or "" for the CPU. `step` is as in
// StepBegin(); kNoStep means the step that is open.
void OpBegin(std::string_view name, std::string_view type,
             std::string_view device, int64_t step = kNoStep);
void OpEnd();

void RangeBegin(std::string_view name);
void RangeEnd();

// A call of a device's programming interface. `domain`: "opencl", "cuda",
// "hip", "level_zero" or "". `correlation` is the id of the work that it
// launches, or 0.
void CallBegin(std::string_view domain, std::string_view name,
               uint64_t correlation);
void CallEnd();

// ---- Events that may end on another thread.

// A run of a session. `step` is any number; the process may use it again after
// the end.
void StepBegin(int64_t step, std::string_view name);
void StepEnd(int64_t step);

// An op that ends on any thread, such as an AsyncOpKernel. `id` is from NewId.
void AsyncBegin(uint64_t id, std::string_view name, std::string_view type,
                std::string_view device, int64_t step = kNoStep);
void AsyncEnd(uint64_t id);

// ---- Events that are reported when they are over. `begin` and `end` may be
// any times before now, and events may come in any order.

// A call that a plug-in reports later, from any thread.
struct FinishedCall {
  std::string_view domain;
  std::string_view name;
  uint64_t correlation = 0;
  uint32_t thread = 0;  // gettid of the caller
  uint64_t begin = 0, end = 0;
};
void Call(const FinishedCall& call);

// Work of a device; see tfprof_work. `entry`, `exit` and `thread` may be
// missing if a call with the same correlation is recorded.
struct FinishedWork {
  std::string_view name;
  std::string_view device;
  // "ndrange", "read", "write", "copy", "fill", "barrier", or any other text.
  std::string_view operation;
  tfprof_work_kind kind = TFPROF_WORK_KERNEL;
  tfprof_clock_kind clock = TFPROF_CLOCK_DEVICE;
  uint64_t queue = 0;
  uint64_t context = 0;
  uint64_t correlation = 0;
  uint64_t bytes = 0;
  uint32_t thread = 0;
  int32_t status = 0;  // negative: it failed, with this error code
  uint64_t entry = 0, exit = 0;
  uint64_t queued = 0, submitted = 0, start = 0, end = 0;
  // False if the device did not report its times, for example because the
  // process ended first.
  bool is_timed = true;
};
void DeviceWork(const FinishedWork& work);

// A tensor that was sent from one device to another. `key` is the rendezvous
// key; `server` is true on the side that sends.
struct Transfer {
  std::string_view key;
  std::string_view source, destination;
  uint64_t bytes = 0;
  uint64_t begin = 0, end = 0;
  int64_t step = kNoStep;
  bool server = false;
};
void RecvTensor(const Transfer& transfer);

// A performance counter of the work with this correlation.
void WorkCounter(uint64_t correlation, std::string_view name, double value);

// ---- Events that happen at the time of the call.

void Allocate(std::string_view allocator, uint64_t address, uint64_t bytes);
// `bytes` may be 0; the size of the allocation then counts.
void Release(std::string_view allocator, uint64_t address, uint64_t bytes);
// The statistics that an allocator reports about itself.
void AllocatorState(std::string_view allocator, uint64_t bytes_in_use,
                    uint64_t peak_bytes, uint64_t num_allocations);
void Counter(std::string_view name, std::string_view unit, double value);

// The clock of a device was read between two readings of the host's clock.
void ClockPair(std::string_view device, uint64_t host_before,
               uint64_t device_time, uint64_t host_after);

void NameThread(std::string_view name);
void NameQueue(std::string_view device, uint64_t queue, std::string_view name);
// A message about the recording itself, once for each thing that the user
// should know: "TensorFlow 2.30 is not known: its ops are not recorded".
void Note(std::string_view source, std::string_view text);

void Pause();
void Resume();

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_SINK_H_
