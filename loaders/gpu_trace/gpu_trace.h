// GpuTrace: what a GPU profiler recorded of one run, as plain tables, and the
// function that adds it to a profile. Loaders of such profilers fill the
// tables.
//
// Times are nanoseconds. Strings are ids in the pool of the profile. Work of a
// GPU belongs to the innermost named range of its launching thread that holds
// the start of the launch. Where ranges cross, the one that began later is the
// inner one. Work whose launch is in no range belongs to the launch, and work
// without a launch is an operation of its own. Ranges of kind kAsyncRange may
// begin and end on different threads, so they hold no work.
//
// A sample of the CPU is a run of its function in the scope of the innermost
// range around it. It has no length, but counts as `sample_period` of CPU time,
// which the event around it loses, as for a call that it makes.
//
// Work is in the step in which its launch began, and all else in the step in
// which it began itself.

#ifndef TFPROF_LOADERS_GPU_TRACE_GPU_TRACE_H_
#define TFPROF_LOADERS_GPU_TRACE_GPU_TRACE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/gpu_trace/text_list.h"
#include "profile/tables/call_stacks.h"
#include "profile/tables/counters.h"
#include "profile/tables/lanes.h"
#include "profile/tables/string_pool.h"
#include "profile/transfer.h"

namespace tfprof::gpu_trace {

// The times of an event, as far as the file has them.
struct Times {
  std::optional<int64_t> start;
  std::optional<int64_t> end;
};

// Returns whether both times exist and are in order, and the duration fits.
bool Fits(const Times& times);

enum class HostKind : uint8_t { kCall, kSystemCall, kRange, kAsyncRange };

// A call of the runtime of the GPU or of the system, or a range that the
// program named.
struct HostEvent {
  int64_t start = 0;
  int64_t end = 0;
  profile::StringId op = profile::kNone;  // what it is an execution of
  // As recorded: a string of the profile, or a number in GpuTrace::texts.
  uint32_t text = profile::kNone;
  uint32_t thread = 0;  // in GpuTrace::threads
  HostKind kind = HostKind::kCall;
  bool has_own_text = false;  // `text` is in GpuTrace::texts
};

// What a thread of the CPU did at a time.
struct CpuSample {
  int64_t time = 0;
  profile::StringId op = profile::kNone;  // the innermost function
  profile::StackId stack = profile::kNoStack;
  uint32_t thread = 0;  // in GpuTrace::threads
};

// Where the memory is that a copy reads or writes.
enum class MemoryKind : uint8_t { kUnknown, kPageable, kPinned, kDevice };

// A kernel, a copy or a memset.
struct Work {
  int64_t start = 0;
  int64_t end = 0;
  profile::StringId name = profile::kNone;
  uint32_t lane = 0;                 // in GpuTrace::lanes
  uint32_t launch = profile::kNone;  // in GpuTrace::host
  int64_t bytes = -1;                // of a copy; -1: unknown
  profile::CopyKind copy = profile::CopyKind::kUnknown;
  MemoryKind from = MemoryKind::kUnknown;  // of a copy
  MemoryKind to = MemoryKind::kUnknown;
};

struct HostThread {
  int64_t process = -1;  // negative: its number is not known
  int64_t thread = -1;
  profile::StringId name = profile::kNone;
};

struct WorkLane {
  int64_t device = 0;
  int64_t process = -1;  // as in HostThread
  int64_t stream = 0;
  profile::LaneKind kind = profile::LaneKind::kKernels;
  friend auto operator<=>(const WorkLane&, const WorkLane&) = default;
};

struct CounterSeries {
  std::string name;
  std::vector<profile::CounterSample> samples;
  std::string unit = {};
  profile::Counter::Kind kind = profile::Counter::Kind::kLevel;
};

struct TraceStep {
  int64_t number = 0;
  int64_t start = 0;
  int64_t end = 0;
  uint32_t range = profile::kNone;  // the range in GpuTrace::host that is it
};

struct GpuTrace {
  // May be null if there is a label.
  std::shared_ptr<const loaders::InputFile> file;
  std::string label;     // among other traces; empty: the name of the file
  int64_t process = -1;  // the rank that it is of; -1: its only process
  uint32_t clock = 0;    // AddGpuTraces() sets it
  std::vector<HostEvent> host;
  std::vector<Work> work;
  std::vector<CpuSample> samples;
  TextList texts;             // that few events share
  int64_t sample_period = 0;  // the CPU time of a sample
  std::vector<HostThread> threads;
  std::vector<WorkLane> lanes;
  // By number of the device. Without a label it is "gpu:N".
  std::map<int64_t, std::string> models, labels;
  std::vector<CounterSeries> counters;
  // By start. Empty: those that ranges mark (range_steps.h); without such, all
  // is in step 0. Otherwise what begins outside of them is in
  // profile::kOutsideSteps.
  std::vector<TraceStep> steps;

  // Return the number of the row, which is added if it is new.
  uint32_t Thread(int64_t process, int64_t thread);
  uint32_t Lane(const WorkLane& lane);

 private:
  absl::flat_hash_map<std::pair<int64_t, int64_t>, uint32_t> thread_numbers_;
  std::map<WorkLane, uint32_t> lane_numbers_;
  // The last answers: consecutive events are often on the same thread or lane.
  uint32_t last_thread_ = 0;
  uint32_t last_lane_ = 0;
};

// The label, or the name of the file without its folder.
std::string NameOf(const GpuTrace& trace);

// Where a piece of work is in the profile.
struct WorkPlace {
  profile::NodeId node = profile::kNone;
  profile::LaneId lane = profile::kNone;
  int64_t step = 0;
  int64_t start = 0;
  int64_t duration = 0;
};

// Adds the traces of a load. Each has a clock of its own and is a process, or
// several ones (rank_traces.h). If `places` is given, it receives the place of
// each Work of each trace, and traces stay as they are.
void AddGpuTraces(std::vector<GpuTrace> traces, loaders::LoadContext& context,
                  std::vector<std::vector<WorkPlace>>* places = nullptr);

}  // namespace tfprof::gpu_trace

#endif  // TFPROF_LOADERS_GPU_TRACE_GPU_TRACE_H_
