// What the checkers of traces have in common: everything that the accelerators
// of a trace did, and numbers as text.
//
// A checker of traces judges profiles whose lanes belong to physical devices
// (timeline/trace_activity.h). In others, such as those of TensorFlow 1, it
// finds nothing and says nothing.

#ifndef TFPROF_ADVISOR_CHECKERS_TRACE_CHECK_H_
#define TFPROF_ADVISOR_CHECKERS_TRACE_CHECK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "advisor/checker.h"
#include "timeline/trace_activity.h"

namespace tfprof {

struct TraceCheck {
  TraceActivities& traces;
  std::shared_ptr<const TraceActivity> activity;  // of everything
  int64_t ticks_per_micro = 1;
  int64_t steps = 1;  // the listed steps; 1 if there are none

  const Profile& profile() const { return traces.profile(); }
  const std::string& Name(uint32_t unit) const {
    return traces.units()[unit].name;
  }
  int64_t Ticks(double micros) const;
  // "4.12ms".
  std::string Time(int64_t ticks) const;
  // Whole microseconds for each step.
  int64_t MicrosPerStep(int64_t ticks) const;
};

// nullopt: not a trace.
std::optional<TraceCheck> OpenTrace(const CheckerInput& input);
// nullopt: not a trace, or nothing ran on an accelerator.
std::optional<TraceCheck> OpenAcceleratorTrace(const CheckerInput& input);

// What `check_device` finds for each accelerator of a trace.
CheckResult CheckAccelerators(
    const CheckerInput& input, const CheckerSettings& settings,
    void (*check_device)(const TraceCheck& check,
                         const AcceleratorActivity& device,
                         const CheckerSettings& settings, CheckResult& result));

// A finding about a share of some time; critical from a half on. `saving` is in
// ticks, of all steps.
Finding ShareFinding(const TraceCheck& check, std::string_view rule,
                     std::string_view subject, int64_t part, int64_t whole,
                     double threshold, int64_t saving);

// Something added up by op. The three largest as text: "aten::mm 1.20ms,
// aten::add 3us".
class TraceSums {
 public:
  void Add(std::string_view op, int64_t amount);
  std::string Times(const TraceCheck& check) const;
  std::string Counts() const;

 private:
  template <typename Format>
  std::string Largest(Format format) const;

  absl::flat_hash_map<std::string_view, int64_t> sums_;
};

}  // namespace tfprof

#endif  // TFPROF_ADVISOR_CHECKERS_TRACE_CHECK_H_
