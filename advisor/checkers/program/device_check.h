// Shared parts of the checkers that judge a whole recording: the activity of
// all devices (timeline/activity.h), and numbers as text.
//
// If the ops of a host are recorded one by one (Lane::calls_nest is false), the
// checkers judge steps instead (step_shares.h): there, launches and gaps mean
// less.

#ifndef TFPROF_ADVISOR_CHECKERS_PROGRAM_DEVICE_CHECK_H_
#define TFPROF_ADVISOR_CHECKERS_PROGRAM_DEVICE_CHECK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "advisor/checker.h"
#include "profile/tables/call_stacks.h"
#include "timeline/activity.h"
#include "util/run/task_options.h"
#include "util/text/by_address.h"

namespace tfprof::advisor {

struct DeviceCheck {
  timeline::Activities& activities;
  // For checks of several devices at the same time.
  const util::TaskOptions& work;
  std::shared_ptr<const timeline::StepActivity>
      activity;  // of the whole recording
  int64_t ticks_per_micro = 1;
  int64_t steps = 1;  // the listed steps; 1 if there are none
  // Processes whose ops are recorded one by one.
  std::set<profile::ProcessId> with_single_ops;
  // The time of the steps of each process until its devices are done, and, by
  // kNone, that of all. Empty if the file does not have it.
  std::map<profile::ProcessId, timeline::Intervals> step_times;

  const profile::Profile& profile() const { return activities.profile(); }
  const std::string& Name(uint32_t unit) const {
    return activities.units()[unit].name;
  }
  int64_t Ticks(double micros) const;
  bool RecordsSingleOps(profile::ProcessId process) const {
    return with_single_ops.contains(process);
  }
  // "4.12ms".
  std::string Time(int64_t ticks) const;
  // Whole microseconds for each step.
  int64_t MicrosPerStep(int64_t ticks) const;
  // The time of the steps for a device: those of its process, or of any process
  // if it has none. nullptr if the file does not have it.
  const timeline::Intervals* StepTime(
      const timeline::DeviceActivity& device) const;
  // The length of the part of `times` that is in steps, or of all of it if the
  // file does not have the time of steps. What happens outside of steps is no
  // loss of a step.
  int64_t InSteps(const timeline::DeviceActivity& device,
                  const timeline::Intervals& times) const;
  // Whether a moment is in a step; true if the file does not have their time.
  bool IsInSteps(const timeline::DeviceActivity& device, int64_t at) const;
  // The time in which a device could have worked: the steps or, if that is
  // longer, from its first work to its last.
  int64_t Wall(const timeline::DeviceActivity& device) const;
};

DeviceCheck OpenDevices(const CheckerInput& input);

// A finding about a rank of a distributed run; -1: it is about no rank.
struct RankFinding {
  int64_t rank = -1;
  Finding finding;
};

// Appends the findings to `result`. What several ranks share is one finding:
// that of the rank that loses most, whose text says on how many it is.
void AddOncePerJob(std::vector<RankFinding> findings, size_t num_ranks,
                   CheckResult& result);

// What `check_device` says of each accelerator that ran something, in their
// order. Calls of several devices run at the same time.
CheckResult EachAccelerator(
    const DeviceCheck& check, const CheckerSettings& settings,
    void (*check_device)(const DeviceCheck& check,
                         const timeline::DeviceActivity& device,
                         const CheckerSettings& settings, CheckResult& result));

// The findings of `check_device` for each accelerator that ran something, in
// processes that record calls. What several ranks share is one finding. Calls
// of several devices run at the same time.
CheckResult CheckAccelerators(
    const CheckerInput& input, const CheckerSettings& settings,
    void (*check_device)(const DeviceCheck& check,
                         const timeline::DeviceActivity& device,
                         const CheckerSettings& settings, CheckResult& result));

// A finding about a share of some time; it is critical from one half on.
// `saving` is in ticks, summed over all steps, without time outside of them.
Finding ShareFinding(const DeviceCheck& check, std::string_view rule,
                     std::string_view subject, int64_t part, int64_t whole,
                     double threshold, int64_t saving);

// "; so does 1 other device" or "; so do 3 other devices"; "" for 0.
std::string SoDoOthers(int64_t others);

// Sums of an amount for each op, whose texts are those of the profile. The
// three largest as text: "aten::mm 1.20ms, aten::add 3us".
class TimeSums {
 public:
  void Add(std::string_view op, int64_t amount);
  void Add(const TimeSums& other);
  std::string Times(const DeviceCheck& check) const;
  std::string Counts() const;

 private:
  template <typename Format>
  std::string Largest(Format format) const;

  util::ByAddress<int64_t> sums_;
};

// Sums of time for each call stack. Times() has the lines of the program with
// most time, "model.py:60:forward 1.20ms"; "" if no stack was recorded.
class LineSums {
 public:
  void Add(const DeviceCheck& check, profile::NodeId node, int64_t ticks);
  std::string Times(const DeviceCheck& check) const;

 private:
  absl::flat_hash_map<profile::StackId, int64_t> sums_;
};

// Some runs of a device: when they ran, how many they are, and their time by
// operation and by line. Runs are added by start.
struct RunSum {
  timeline::Intervals times;
  int64_t runs = 0;
  TimeSums ops;
  LineSums lines;

  void Add(const DeviceCheck& check, const timeline::DeviceRun& run,
           std::string_view op);
  int64_t time() const { return timeline::Length(times); }
  // "45.9% of its busy time (36.10ms of 78.69ms), 24 times per step:
  // aten::copy_ 36.10ms; at model.py:60:split_heads 36.10ms". `busy` is that of
  // the device.
  std::string Text(const DeviceCheck& check, int64_t busy) const;
};

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_CHECKERS_PROGRAM_DEVICE_CHECK_H_
