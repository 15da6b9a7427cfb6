// Shared parts of the checkers of step times: which steps they judge, and how
// they report a share of a step.
//
// Times are summed over the judged steps and reported as an average per step,
// in whole microseconds. A share of at least half a step is critical.

#ifndef TFPROF_ADVISOR_STEP_SHARES_H_
#define TFPROF_ADVISOR_STEP_SHARES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "advisor/checker.h"
#include "profile/steps/time_column.h"
#include "timeline/activity.h"

namespace tfprof::advisor {

inline constexpr CheckerOption kMinStep = {
    "min_step", 1000, "us",
    "Shorter steps are not judged: times are in whole microseconds."};

// A share of the time of the judged steps.
struct StepShare {
  int64_t steps = 0;
  int64_t span = 0;    // of all these steps
  int64_t micros = 0;  // of the span
  // The step with the largest share.
  int64_t worst_step = 0;
  double worst_share = -1;

  void Add(const profile::Step& step, int64_t step_span, int64_t step_micros);
  double share() const {
    return static_cast<double>(micros) / static_cast<double>(span);
  }
  int64_t micros_per_step() const { return micros / steps; }
  // "41.2% of the step (4.12ms of 10.00ms)"; averages for several steps.
  std::string Text() const;
  // A warning with value, threshold and saving.
  Finding MakeFinding(std::string_view rule, double threshold) const;
};

// The activity of the devices of a process in a step. Intervals are ticks of
// the profile.
struct ProcessStep {
  profile::ProcessId process = profile::kNone;
  std::vector<const timeline::DeviceActivity*> devices;
  timeline::Intervals
      runs;          // the wall time of the step on the clock of the process
  int64_t span = 0;  // of the runs, in microseconds
  int64_t ticks_per_micro = 1;

  int64_t Micros(int64_t ticks) const {
    return profile::TicksToMicros(ticks, ticks_per_micro);
  }
  int64_t Micros(const timeline::Intervals& intervals) const {
    return Micros(timeline::Length(intervals));
  }
};

// Visits the processes whose ops are recorded one by one (Lane::calls_nest is
// false), in each listed step that takes at least `min_step` microseconds.
void ForEachProcess(
    views::Views& views, double min_step,
    const std::function<void(const profile::Step&, const ProcessStep&)>& visit);

// Calls `use` for each op, recorded by itself, that computes in a step and for
// each launch of one on an accelerator, in no order.
void ForEachOp(timeline::Activities& activities, const profile::Step& step,
               profile::ProcessId process,
               const std::function<void(const timeline::DeviceRun& run)>& use);

// The name of a process in a finding; "" if it has none.
const std::string& ProcessTitle(const timeline::Activities& activities,
                                profile::ProcessId process);

// The number of runs of a kind on a device.
int64_t CountRuns(const timeline::DeviceActivity& device,
                  timeline::RunKind kind);

// Appends to `notes` what `checker` lacks: executions of steps that were
// dropped and, if it needs kernels, the kernels of GPUs without records.
void NoteMissing(views::Views& views, std::string_view checker,
                 bool needs_kernels, std::vector<std::string>& notes);

// The command that shows what ran when.
std::string TimelineCommand(int64_t step);
// "layer/x (MatMul)"; only the name if the format has no types, so that the
// name is the type.
std::string NameAndOp(std::string_view name, std::string_view op);

// Sums of an amount for each op.
using OpSums = absl::flat_hash_map<std::string_view, int64_t>;
// The three largest, divided by `steps`: "MatMul 12, Add 3"; `micros` formats
// them as times.
std::string LargestText(const OpSums& sums, int64_t steps, bool micros);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_STEP_SHARES_H_
