// Finds steps that allocate and free the same memory again and again, while the
// accelerators have nothing to do.
//
// Calls of the driver count (cudaMalloc). Operations that only allocate
// (aten::empty) count if a counter of bytes shows that it is always the same
// memory: a series of allocations and releases of one size with nothing between
// them, for which one buffer would be enough. An allocator that keeps its
// memory is fast, so only the time in which no accelerator of the process works
// counts.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/step_wall.h"
#include "timeline/account/work_classes.h"
#include "util/arithmetic.h"
#include "util/median.h"
#include "util/text/ascii.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace memory_churn {

constexpr Rule kRules[] = {
    {"memory_churn",
     "Steps allocate and free memory very often, and no accelerator works "
     "meanwhile, for more than the threshold of their time.",
     "share of the steps", "memory_churn", Rule::Says::kReason},
};
constexpr CheckerOption kOptions[] = {
    {"memory_churn", 0.05, "share", "Less is not reported."},
    {"min_count", 50, "count", "Fewer allocations per step are not reported."},
};

// A longer time between two allocations of a series has other reasons.
constexpr double kMaxGap = 100;  // us

// A longer call sets the device up.
constexpr double kMaxCall = 5000;  // us

enum class Allocates : uint8_t { kNot, kOperation, kDriver };

Allocates KindOf(std::string_view name) {
  if (timeline::HostCallOf(name) == timeline::HostCall::kAllocation) {
    return Allocates::kDriver;
  }
  const std::string lower = util::LowerCase(name);
  for (const std::string_view part :
       {"::empty", "::new_empty", "::_empty", "alloc"}) {
    if (lower.find(part) != lower.npos) return Allocates::kOperation;
  }
  return lower == "empty" ? Allocates::kOperation : Allocates::kNot;
}

// What a process allocates.
struct Churn {
  struct Calls {
    timeline::UnionOfMany times;
    int64_t count = 0;
    TimeSums names;
  };
  Calls driver, operations;
  timeline::UnionOfMany series;
  // The size that a counter shows most often in series, and how often.
  std::map<int64_t, int64_t> sizes;
  std::string allocator;
};

class ChurnCheck {
 public:
  ChurnCheck(const CheckerInput& input, const CheckerSettings& settings)
      : settings_(settings),
        check_(OpenDevices(input)),
        profile_(check_.profile()) {}

  CheckResult Run() {
    CheckResult result;
    timeline::UnionOfMany all_steps;
    for (const auto& step : profile_.steps()) {
      if (!step->listed) continue;
      const auto span = timeline::StepSpan(check_.activities, *step);
      if (!span) continue;
      all_steps.Add({*span});
      AddCalls(*step);
    }
    steps_ = std::move(all_steps).Take();
    for (const profile::Counter& counter : profile_.counters()) {
      AddSeries(counter);
    }
    for (auto& [process, churn] : churns_) Judge(process, churn, result);
    return result;
  }

 private:
  void AddCalls(const profile::Step& step) {
    for (size_t g = 0; g < step.num_groups() && step.num_executions() > 0;
         ++g) {
      const profile::StringId op =
          profile_.nodes().op[static_cast<profile::NodeId>(step.node[g])];
      const auto [it, is_new] = allocates_.try_emplace(op, Allocates::kNot);
      if (is_new) it->second = KindOf(profile_.strings().Get(op));
      if (it->second == Allocates::kNot) continue;
      for (size_t e = step.exec_begin(g); e < step.exec_end(g); ++e) {
        const profile::LaneId lane = step.LaneOf(e);
        if (!step.HasStart(e) || lane == profile::kNone ||
            profile_.lanes()[lane].repeats != profile::kNone) {
          continue;
        }
        const timeline::Interval time = check_.activities.TimeOf(step, e);
        if (time.length() > check_.Ticks(kMaxCall)) continue;
        Churn& churn = churns_[profile_.lanes()[lane].process];
        Churn::Calls& calls =
            it->second == Allocates::kDriver ? churn.driver : churn.operations;
        ++calls.count;
        calls.names.Add(profile_.strings().Get(op), 1);
        if (time.length() > 0) calls.times.Add({time});
      }
    }
  }

  int64_t Ticks(int64_t nanos) const {
    constexpr double kNanosPerMicro = 1000;
    return util::ToInteger(static_cast<double>(nanos) / kNanosPerMicro *
                           static_cast<double>(check_.ticks_per_micro));
  }

  bool IsInStep(int64_t ticks) const {
    const auto after =
        std::upper_bound(steps_.begin(), steps_.end(), ticks,
                         [](int64_t time, const timeline::Interval& i) {
                           return time < i.start;
                         });
    return after != steps_.begin() && ticks < std::prev(after)->end;
  }

  // Adds the times between allocations that follow each other, and whose memory
  // was freed before the next one. If an accelerator works between them, they
  // hold different results.
  void AddSeries(const profile::Counter& counter) {
    if (counter.unit == profile::kNone ||
        profile_.strings().Get(counter.unit) != "bytes" || counter.size() < 3) {
      return;
    }
    const auto change = [&](size_t i) {
      if (counter.kind == profile::Counter::Kind::kChange) {
        return counter.value[i];
      }
      return i == 0 ? 0.0 : counter.value[i] - counter.value[i - 1];
    };
    timeline::Intervals series;
    std::map<int64_t, int64_t> sizes;
    const timeline::Intervals busy = BusyOf(counter.process);
    auto work = busy.begin();
    for (size_t i = 2; i < counter.size(); ++i) {
      const double size = change(i);
      const int64_t start = Ticks(counter.time[i - 2]);
      const int64_t end = Ticks(counter.time[i]);
      if (size <= 0 || change(i - 1) != -size || change(i - 2) != size ||
          end <= start || end - start > check_.Ticks(kMaxGap) ||
          !IsInStep(start)) {
        continue;
      }
      while (work != busy.end() && work->end <= start) ++work;
      if (work != busy.end() && work->start < end) continue;
      ++sizes[util::ToInteger(size)];
      timeline::AddInterval(series, start, end);
    }
    if (series.empty()) return;
    Churn& churn = churns_[counter.process];
    churn.series.Add(series);
    for (const auto& [size, count] : sizes) churn.sizes[size] += count;
    churn.allocator = profile_.strings().Get(counter.name);
  }

  // The time in which an accelerator of the process works.
  timeline::Intervals BusyOf(profile::ProcessId process) const {
    timeline::UnionOfMany busy;
    for (const timeline::DeviceActivity& device : check_.activity->devices) {
      const timeline::LaneUnit& unit = check_.activities.units()[device.unit];
      if (device.accelerator && unit.process == process) busy.Add(device.busy);
    }
    return std::move(busy).Take();
  }

  void Judge(profile::ProcessId process, Churn& churn, CheckResult& result) {
    const auto most = std::ranges::max_element(
        churn.sizes, {}, [](const auto& size) { return size.second; });
    const int64_t of_size =
        most == churn.sizes.end() ? 0 : most->second / check_.steps;
    const bool is_series =
        static_cast<double>(of_size) >= settings_.Get("min_count");
    timeline::UnionOfMany all;
    all.Add(std::move(churn.driver.times).Take());
    int64_t count = churn.driver.count;
    std::string names = churn.driver.names.Counts();
    if (is_series) {
      all.Add(std::move(churn.series).Take());
      all.Add(std::move(churn.operations.times).Take());
      if (churn.operations.count > count) {
        count = churn.operations.count;
        names = churn.operations.names.Counts();
      }
    }
    count = std::max(count / check_.steps, of_size);
    const timeline::Intervals times = timeline::Intersect(
        timeline::Subtract(std::move(all).Take(), BusyOf(process)), steps_);
    const int64_t lost = timeline::Length(times);
    const int64_t span = timeline::Length(steps_);
    Finding f = ShareFinding(check_, kRules[0].id,
                             timeline::ProcessName(profile_.lanes(), process),
                             lost, span, settings_.Get("memory_churn"), lost);
    if (f.value <= f.threshold ||
        static_cast<double>(count) < settings_.Get("min_count")) {
      return;
    }
    f.severity = Finding::Severity::kWarning;
    f.evidence = "op -order_by occurrence -select cpu_micros,occurrence";
    f.advice =
        "Allocate once and reuse the buffers (out= arguments, preallocated "
        "workspaces), use an allocator that keeps its memory (a caching "
        "allocator, expandable_segments), and make shapes equal.";
    f.text = fmt::format(
        "memory is allocated and freed {} times per step, and accelerators "
        "have nothing to do meanwhile for {} of the steps ({} of {})",
        tables::FormatCount(count), util::Percent(lost, span),
        check_.Time(lost), check_.Time(span));
    if (!names.empty()) f.text += fmt::format(": {}", names);
    if (is_series) {
      f.text += fmt::format(
          "; {} times per step {} of {}, which one buffer could serve",
          tables::FormatCount(of_size), tables::BytesText(most->first),
          churn.allocator);
    }
    result.findings.push_back(std::move(f));
  }

  const CheckerSettings& settings_;
  const DeviceCheck check_;
  const profile::Profile& profile_;
  timeline::Intervals steps_;
  absl::flat_hash_map<profile::StringId, Allocates> allocates_;
  std::map<profile::ProcessId, Churn> churns_;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  return ChurnCheck(input, settings).Run();
}

}  // namespace memory_churn
}  // namespace

const Checker kMemoryChurnChecker = {
    "MemoryChurnChecker",
    "Whether steps lose time by allocating and freeing memory very often.",
    Checker::Kind::kAdvice,
    memory_churn::kRules,
    memory_churn::kOptions,
    memory_churn::Check,
    Checker::Needs::kTimes};

}  // namespace tfprof::advisor
