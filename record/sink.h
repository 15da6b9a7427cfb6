// Where the sources of the recorder put their events: the OpenCL layer, the
// hooks of TensorFlow, the plug-ins of GPUs, and the C interface.
//
// Runs inside of other people's programs. So nothing here, and nothing in a
// source, throws, prints, ends the process, takes a lock that another thread
// may hold for long, or uses malloc; no symbol of libstdc++ is used at run time
// (record/portable_test checks it). What cannot be recorded is dropped and
// counted, and a source then passes the call through 1:1.
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

// Whether events are recorded: the process was started by `tfprof record`, its
// folder can be written, and nobody paused. A source asks before it makes work
// of its own, such as another event of OpenCL; the functions below ask too.
bool IsRecording();

// True in the process of a recording, even while it is paused. Hooks that can
// be installed only once ask this.
bool IsRecorded();

// The value of an environment variable of the recorder, or "" without it.
// Sources have their switches there: "TFPROF_RECORD_OPENCL=off".
std::string_view Setting(const char* name);

uint64_t Now();
// A number for a correlation, unique within the process; never 0.
uint64_t NewId();
// gettid(), remembered for each thread.
uint32_t ThreadId();

// ---- Nested on a thread. An end closes what this thread began last of the
// same kind. What has been dropped at its begin is dropped at its end.

// `device` as TensorFlow names it, or "" for the CPU; `step` as in StepBegin,
// or kNoStep: the one that is open.
void OpBegin(std::string_view name, std::string_view type,
             std::string_view device, int64_t step = kNoStep);
void OpEnd();

void RangeBegin(std::string_view name);
void RangeEnd();

// A call of the interface of a device. `domain`: "opencl", "cuda", "hip",
// "level_zero", "". `correlation` is that of the work that it launches, or 0.
void CallBegin(std::string_view domain, std::string_view name,
               uint64_t correlation);
void CallEnd();

// ---- Begun and ended anywhere.

// A run of a session. `step` is any number; the process may use it again after
// its end.
void StepBegin(int64_t step, std::string_view name);
void StepEnd(int64_t step);

// An op that ends on any thread, such as an AsyncOpKernel. `id` is from NewId.
void AsyncBegin(uint64_t id, std::string_view name, std::string_view type,
                std::string_view device, int64_t step = kNoStep);
void AsyncEnd(uint64_t id);

// ---- Told when it is over. `begin` and `end` may be any times before now, and
// events may come in any order.

// A call that a plug-in hears of later, on whatever thread it was.
struct FinishedCall {
  std::string_view domain;
  std::string_view name;
  uint64_t correlation = 0;
  uint32_t thread = 0;  // gettid of the caller
  uint64_t begin = 0, end = 0;
};
void Call(const FinishedCall& call);

// Work of a device; see tfprof_work. `entry`, `exit` and `thread` are not
// needed if a call with the same correlation is recorded.
struct FinishedWork {
  std::string_view name;
  std::string_view device;
  // "ndrange", "read", "write", "copy", "fill", "barrier", ...; any text.
  std::string_view operation;
  tfprof_work_kind kind = TFPROF_WORK_KERNEL;
  tfprof_clock_kind clock = TFPROF_CLOCK_DEVICE;
  uint64_t queue = 0;
  uint64_t context = 0;
  uint64_t correlation = 0;
  uint64_t bytes = 0;
  uint32_t thread = 0;
  int32_t status = 0;  // negative: it failed, with the number of its interface
  uint64_t entry = 0, exit = 0;
  uint64_t queued = 0, submitted = 0, start = 0, end = 0;
  // False: the device did not tell its times, for example because the process
  // ended first.
  bool is_timed = true;
};
void DeviceWork(const FinishedWork& work);

// A tensor that went from one device to another. `key` is the rendezvous key;
// `server` is true on the side that sends it.
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

// ---- At the time of the call.

void Allocate(std::string_view allocator, uint64_t address, uint64_t bytes);
// `bytes` may be 0: those of the allocation.
void Release(std::string_view allocator, uint64_t address, uint64_t bytes);
// What an allocator says about itself.
void AllocatorState(std::string_view allocator, uint64_t bytes_in_use,
                    uint64_t peak_bytes, uint64_t num_allocations);
void Counter(std::string_view name, std::string_view unit, double value);

// The clock of a device was read between two host times.
void ClockPair(std::string_view device, uint64_t host_before,
               uint64_t device_time, uint64_t host_after);

void NameThread(std::string_view name);
void NameQueue(std::string_view device, uint64_t queue, std::string_view name);
// A line about the recording itself, once for each thing that a person should
// know: "TensorFlow 2.30 is not known: its ops are not recorded".
void Note(std::string_view source, std::string_view text);

void Pause();
void Resume();

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_SINK_H_
