// Finds processes or accelerators that work longer than the others, which wait
// for them.
//
// Stragglers are tasks of a job that are busier than the others. A task is busy
// while any of its devices computes or copies: a task that waits for another is
// not busy. Parameter servers are left to JobChecker. Ranks are compared by the
// compute time of their accelerators; a recording of one process has its
// accelerators compared instead. Accelerators of a process may have different
// work, as the stages of a pipeline do: they are compared only if they run
// about as many kernels.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "advisor/evidence.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof::advisor {
namespace {
namespace skew {

constexpr std::string_view kName = "SkewChecker";

constexpr Rule kRules[] = {
    {"straggler",
     "A task is busy this many times as long as the median of the other tasks "
     "of its job, or more.",
     "ratio to the median", "straggler"},
    {"rank_skew",
     "A rank computes this many times as long as the median of the others, or "
     "more.",
     "ratio to the median", "rank_skew"},
    {"device_skew",
     "In a recording of one process, an accelerator computes this many times "
     "as long as the median of the others, or more.",
     "ratio to the median", "rank_skew"},
};
constexpr CheckerOption kOptions[] = {
    {"straggler", 1.4, "ratio", "Smaller ratios are not reported."},
    {"min_micros", 1000, "us",
     "Smaller differences of tasks per step are not reported."},
    {"rank_skew", 1.1, "ratio", "Smaller ratios are not reported."},
    {"min_rank_micros", 100, "us",
     "Smaller differences of ranks per step are not reported."},
};

class StragglerCheck {
 public:
  StragglerCheck(views::Views& views, const CheckerSettings& settings,
                 CheckResult& result)
      : profile_(views.profile()),
        activities_(views.Kept<timeline::Activities>()),
        settings_(settings),
        result_(result) {}

  void Run(views::Views& views) {
    const profile::LaneTable& lanes = profile_.lanes();
    std::map<std::string_view, std::vector<TaskWork>> jobs;
    for (profile::ProcessId p = 0; p < lanes.num_processes(); ++p) {
      const std::string_view job = lanes.process(p).job;
      if (job.empty() || lanes.process(p).parameter_server) continue;
      jobs[job].push_back({.task = p});
    }
    std::erase_if(jobs, [](const auto& job) { return job.second.size() < 2; });
    if (jobs.empty()) return;
    NoteMissing(views, kName, /*needs_kernels=*/false, result_.notes);
    std::map<std::string_view, int64_t> num_steps;
    for (const auto& step : profile_.steps()) {
      if (!step->listed) continue;
      std::map<profile::ProcessId, TaskWork> works = WorkIn(*step);
      for (auto& [job, tasks] : jobs) {
        if (std::ranges::any_of(tasks, [&](const TaskWork& w) {
              return works[w.task].busy == 0;
            })) {
          continue;
        }
        ++num_steps[job];
        for (TaskWork& work : tasks) {
          work.busy = util::WrapAdd(work.busy, works[work.task].busy);
          work.runs += works[work.task].runs;
        }
      }
    }
    for (const auto& [job, tasks] : jobs) {
      if (num_steps[job] > 0) CheckJob(job, tasks, num_steps[job]);
    }
  }

 private:
  // The work of a task over the steps in which all tasks of its job ran.
  struct TaskWork {
    profile::ProcessId task = 0;
    int64_t busy = 0;  // microseconds
    int64_t runs = 0;  // of ops
  };

  std::map<profile::ProcessId, TaskWork> WorkIn(
      const profile::Step& step) const {
    std::map<profile::ProcessId, timeline::Intervals> busy;
    std::map<profile::ProcessId, TaskWork> works;
    for (const auto activity = activities_.Of(step);
         const timeline::DeviceActivity& device : activity->devices) {
      const profile::ProcessId process =
          activities_.units()[device.unit].process;
      timeline::Intervals& of = busy[process];
      of = timeline::Union(of, timeline::Union(device.compute, device.copies));
      works[process].runs += CountRuns(device, timeline::RunKind::kCompute);
    }
    for (const auto& [process, of] : busy) {
      works[process].busy = profile_.Micros(timeline::Length(of));
    }
    return works;
  }

  void CheckJob(std::string_view job, const std::vector<TaskWork>& tasks,
                int64_t num_steps) {
    const TaskWork& slow = *std::max_element(
        tasks.begin(), tasks.end(),
        [](const TaskWork& a, const TaskWork& b) { return a.busy < b.busy; });
    // A task that runs less than half or more than twice as many ops has
    // different work.
    std::vector<int64_t> others;
    for (const TaskWork& work : tasks) {
      if (work.task == slow.task || work.runs * 2 < slow.runs ||
          work.runs > slow.runs * 2) {
        continue;
      }
      others.push_back(work.busy);
    }
    if (others.empty()) return;
    const int64_t median = util::Median(others);
    const double ratio =
        static_cast<double>(slow.busy) / static_cast<double>(median);
    const int64_t excess = util::WrapSub(slow.busy, median) / num_steps;
    if (median <= 0 || ratio < settings_.Get("straggler") ||
        static_cast<double>(excess) < settings_.Get("min_micros")) {
      return;
    }
    const std::string& task = ProcessTitle(activities_, slow.task);
    result_.findings.push_back(
        {.rule = kRules[0].id,
         .severity = Finding::Severity::kWarning,
         .subject = task,
         .value = ratio,
         .threshold = settings_.Get("straggler"),
         .saving_micros = excess,
         .evidence = fmt::format("op -account_type_regexes {}/.* -select "
                                 "micros,device -order_by micros",
                                 NamePattern(task)),
         .advice = "Look for other work on the machine, and for input or "
                   "shards that are larger there.",
         .text = fmt::format("{} is busy {} per step, {:.2f} times the median "
                             "of the other {} tasks of {} ({})",
                             task, tables::FormatMicros(slow.busy / num_steps),
                             ratio, others.size(), job,
                             tables::FormatMicros(median / num_steps))});
  }

  const profile::Profile& profile_;
  timeline::Activities& activities_;
  const CheckerSettings& settings_;
  CheckResult& result_;
};

// A rank or an accelerator, with its time.
struct Rank {
  std::string name;
  int64_t compute = 0;
  int64_t communication = 0;
  int64_t runs = 0;
  // That its process recorded, if ranks differ in this; else 0. The times are
  // then means of a step.
  int64_t steps = 0;
  std::vector<const timeline::DeviceActivity*> devices;

  void Add(const timeline::DeviceActivity& device) {
    Add(device, timeline::Length(device.compute),
        timeline::Length(device.communication));
  }
  void AddInSteps(const DeviceCheck& check,
                  const timeline::DeviceActivity& device) {
    Add(device, check.InSteps(device, device.compute),
        check.InSteps(device, device.communication));
  }

 private:
  void Add(const timeline::DeviceActivity& device, int64_t more_compute,
           int64_t more_communication) {
    compute = util::WrapAdd(compute, more_compute);
    communication = util::WrapAdd(communication, more_communication);
    runs += static_cast<int64_t>(device.runs.size());
    devices.push_back(&device);
  }
};

// The number of steps that each process recorded.
std::map<profile::ProcessId, int64_t> StepsOfProcesses(
    const profile::Profile& profile) {
  std::map<profile::ProcessId, int64_t> steps;
  const profile::StepIntervals& intervals = profile.step_intervals();
  for (size_t row = 0; row < intervals.size(); ++row) {
    ++steps[static_cast<profile::ProcessId>(intervals.process[row])];
  }
  return steps;
}

// The ranks, sorted by number. If some recorded more steps than others, their
// times are means of a step, without what is outside of steps.
std::vector<Rank> RanksOf(const DeviceCheck& check) {
  const profile::LaneTable& lanes = check.profile().lanes();
  std::map<profile::ProcessId, int64_t> steps =
      StepsOfProcesses(check.profile());
  int64_t fewest = 0, most = 0;
  for (const auto& [process, count] : steps) {
    fewest = fewest == 0 ? count : std::min(fewest, count);
    most = std::max(most, count);
  }
  const bool differ = fewest < most;
  std::map<int64_t, Rank> ranks;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    if (!device.accelerator || device.runs.empty()) continue;
    const profile::ProcessId process =
        check.activities.units()[device.unit].process;
    if (process == profile::kNone || lanes.process(process).rank < 0) continue;
    const int64_t number = lanes.process(process).rank;
    if (!differ) {
      ranks[number].Add(device);
    } else if (steps[process] > 0) {
      ranks[number].AddInSteps(check, device);
      ranks[number].steps = steps[process];
    }
  }
  std::vector<Rank> result;
  for (auto& [number, rank] : ranks) {
    rank.name = fmt::format("rank {}", number);
    if (rank.steps > 0) {
      rank.compute /= rank.steps;
      rank.communication /= rank.steps;
    }
    result.push_back(std::move(rank));
  }
  return result;
}

// The accelerators of the only process, if their work is similar. A recorder
// may have several kinds of devices for the same chips: the kind with the most
// runs counts.
std::vector<Rank> DevicesOf(const DeviceCheck& check) {
  std::map<std::string_view, std::vector<Rank>> kinds;
  std::set<profile::ProcessId> processes;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    if (!device.accelerator || device.runs.empty()) continue;
    const timeline::LaneUnit& unit = check.activities.units()[device.unit];
    processes.insert(unit.process);
    Rank& added = kinds[unit.kind].emplace_back();
    added.name = check.Name(device.unit);
    added.Add(device);
  }
  if (processes.size() != 1) return {};
  const auto runs = [](const std::vector<Rank>& devices) {
    int64_t sum = 0;
    for (const Rank& device : devices) sum += device.runs;
    return sum;
  };
  const auto most = std::ranges::max_element(
      kinds, {}, [&](const auto& kind) { return runs(kind.second); });
  std::vector<int64_t> of_devices;
  for (const Rank& device : most->second) of_devices.push_back(device.runs);
  // The device that gathers the results of the others runs more kernels.
  constexpr int64_t kAlike = 4;
  const int64_t usual = util::Median(of_devices);
  const bool alike =
      std::ranges::all_of(most->second, [usual](const Rank& device) {
        return device.runs <= kAlike * usual && usual <= kAlike * device.runs;
      });
  return alike ? most->second : std::vector<Rank>();
}

// The median of `sorted` without one occurrence of `value`. With two ranks, the
// slow one must not count as usual.
int64_t MedianOfOthers(const std::vector<int64_t>& sorted, int64_t value) {
  const auto removed = static_cast<size_t>(
      std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
  const auto at = [&](size_t i) { return sorted[i < removed ? i : i + 1]; };
  const size_t size = sorted.size() - 1;
  const int64_t upper = at(size / 2);
  if (size % 2 == 1) return upper;
  const int64_t lower = at(size / 2 - 1);
  return lower + (upper - lower) / 2;
}

// The outermost range or module that a rank runs and another one hardly does,
// if it is most of the difference: "evaluate". Otherwise "".
std::string OwnRange(const DeviceCheck& check, const Rank& slow,
                     const Rank& usual) {
  constexpr double kMost = 0.6;
  struct Times {
    int64_t slow = 0, usual = 0;
  };
  const profile::Profile& profile = check.profile();
  std::vector<Times> of_node(profile.nodes().size());
  const auto add = [&](const Rank& rank, int64_t Times::*time) {
    for (const timeline::DeviceActivity* device : rank.devices) {
      for (const timeline::DeviceRun& run : device->runs) {
        if (run.node == profile::kNone ||
            run.kind != timeline::RunKind::kCompute) {
          continue;
        }
        int64_t& sum = of_node[run.node].*time;
        sum = util::SaturatingAdd(sum, run.length());
      }
    }
  };
  add(slow, &Times::slow);
  add(usual, &Times::usual);
  std::map<std::string_view, Times> ranges;
  for (profile::NodeId node = 0; node < of_node.size(); ++node) {
    const Times& times = of_node[node];
    if (times.slow <= 0 && times.usual <= 0) continue;
    const std::string_view name = profile.node_name(node);
    const size_t end = name.find('/');
    if (end == name.npos) continue;  // an operation outside of ranges
    Times& sum = ranges[name.substr(0, end)];
    sum.slow = util::SaturatingAdd(sum.slow, times.slow);
    sum.usual = util::SaturatingAdd(sum.usual, times.usual);
  }
  const double more = kMost * static_cast<double>(slow.compute - usual.compute);
  for (const auto& [name, times] : ranges) {
    if (static_cast<double>(times.slow - times.usual) >= more &&
        times.usual < times.slow / 2) {
      return std::string(name);
    }
  }
  return "";
}

// The model of the devices of a rank, "NVIDIA A100-SXM4-80GB", if the file has
// it and they have only one; otherwise "".
std::string ModelOf(const DeviceCheck& check, const Rank& rank) {
  std::string model;
  for (const timeline::DeviceActivity* device : rank.devices) {
    const profile::PhysicalId id =
        check.activities.units()[device->unit].physical;
    if (id == profile::kNone) return "";
    const std::string& of = check.profile().lanes().physical(id).model;
    if (of.empty() || (!model.empty() && of != model)) return "";
    model = of;
  }
  return model;
}

void CheckRanks(const CheckerInput& input, const CheckerSettings& settings,
                CheckResult& result) {
  const DeviceCheck check = OpenDevices(input);
  std::vector<Rank> ranks = RanksOf(check);
  const bool devices = ranks.size() < 2;
  if (devices) ranks = DevicesOf(check);
  if (ranks.size() < 2) return;
  std::vector<int64_t> computes;
  int64_t most_waiting = 0;
  for (const Rank& rank : ranks) {
    computes.push_back(rank.compute);
    most_waiting = std::max(most_waiting, rank.communication);
  }
  std::sort(computes.begin(), computes.end());
  const double threshold = settings.Get("rank_skew");
  std::vector<RankFinding> findings;
  for (size_t r = 0; r < ranks.size(); ++r) {
    const Rank& rank = ranks[r];
    const int64_t median = MedianOfOthers(computes, rank.compute);
    if (median <= 0) continue;
    const double ratio =
        static_cast<double>(rank.compute) / static_cast<double>(median);
    const bool means = rank.steps > 0;
    const int64_t more = means ? profile::TicksToMicros(rank.compute - median,
                                                        check.ticks_per_micro)
                               : check.MicrosPerStep(rank.compute - median);
    if (ratio < threshold ||
        static_cast<double>(more) < settings.Get("min_rank_micros")) {
      continue;
    }
    Finding f;
    f.rule = devices ? "device_skew" : "rank_skew";
    f.severity = Finding::Severity::kWarning;
    f.subject = rank.name;
    f.value = ratio;
    f.threshold = threshold;
    f.saving_micros = more;
    f.evidence = "devices";
    const char* const unit = devices ? "device" : "rank";
    f.advice = fmt::format(
        "Give {}s the same amount of work (lengths of sequences, shards of "
        "tables), and look for a slower device.",
        unit);
    f.text = fmt::format(
        "{} computes {}{}, {:.2f} times {} ({})", rank.name,
        check.Time(rank.compute), means ? " in a step, on average" : "", ratio,
        ranks.size() == 2 ? fmt::format("the other {}", unit)
                          : fmt::format("the median of the other {} {}s",
                                        ranks.size() - 1, unit),
        check.Time(median));
    if (most_waiting > 0) {
      f.text += fmt::format(
          "; it communicates for {}, the {} that waits most for {}",
          check.Time(rank.communication), unit, check.Time(most_waiting));
    }
    const Rank& usual =
        *std::ranges::min_element(ranks, {}, [median](const Rank& other) {
          return std::abs(other.compute - median);
        });
    const std::string model = ModelOf(check, rank);
    const std::string usual_model = ModelOf(check, usual);
    if (!model.empty() && !usual_model.empty() && model != usual_model) {
      f.text += fmt::format("; it runs on {}, {} on {}", model, usual.name,
                            usual_model);
      f.advice = fmt::format(
          "Use devices of one model in a job, or give the slower ones less "
          "work: all other {}s wait for them.",
          unit);
    }
    const std::string range = OwnRange(check, rank, usual);
    if (!range.empty()) {
      f.text += fmt::format("; most of the difference is in {}", range);
      f.advice = fmt::format(
          "Let all {0}s do this work, or do it beside the steps: the other "
          "{0}s "
          "wait for it.",
          unit);
    }
    findings.push_back({.rank = devices ? -1 : static_cast<int64_t>(r),
                        .finding = std::move(f)});
  }
  AddOncePerJob(std::move(findings), ranks.size(), result);
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  StragglerCheck(input.views, settings, result).Run(input.views);
  CheckRanks(input, settings, result);
  return result;
}

}  // namespace skew
}  // namespace

const Checker kSkewChecker = {
    skew::kName,
    "Tasks, ranks or accelerators that work longer than the others.",
    Checker::Kind::kAdvice,
    skew::kRules,
    skew::kOptions,
    skew::Check,
    Checker::Needs::kSeveral};

}  // namespace tfprof::advisor
