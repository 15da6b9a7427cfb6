// Stragglers: a task of a job that is busier than the others, which wait for it
// if all work in step.
//
// Busy is computing or copying on any device: a task that waits for another is
// not. Parameter servers are JobChecker's.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/evidence.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof {
namespace {

constexpr std::string_view kName = "StragglerChecker";

constexpr Rule kRules[] = {
    {"straggler",
     "A task is busy this many times as long as the median of the other tasks "
     "of its job, or more.",
     "ratio to the median", "straggler"},
};
constexpr CheckerOption kOptions[] = {
    {"straggler", 1.5, "ratio", "Smaller ratios are not reported."},
    {"min_micros", 1000, "us",
     "Smaller differences per step are not reported."},
};

class StragglerCheck {
 public:
  StragglerCheck(Views& views, const CheckerSettings& settings,
                 CheckResult& result)
      : profile_(views.profile()),
        activities_(views.Kept<Activities>()),
        settings_(settings),
        result_(result) {}

  void Run(Views& views) {
    const std::vector<Process>& tasks = activities_.roles().tasks();
    std::map<std::string_view, std::vector<TaskWork>> jobs;
    for (uint32_t t = 0; t < tasks.size(); ++t) {
      const std::string_view job = tasks[t].job;
      if (job.empty() || tasks[t].parameter_server) continue;
      jobs[job].push_back({.task = t});
    }
    std::erase_if(jobs, [](const auto& job) { return job.second.size() < 2; });
    if (jobs.empty()) return;
    NoteMissing(views, kName, /*needs_kernels=*/false, result_.notes);
    std::map<std::string_view, int64_t> num_steps;
    for (const auto& step : profile_.steps()) {
      if (!step->listed) continue;
      std::vector<int64_t> busy(tasks.size(), 0), runs(tasks.size(), 0);
      const auto activity = activities_.Of(*step);
      for (const TaskActivity& task : activity->tasks) {
        Intervals work;
        for (const DeviceActivity& device : task.devices) {
          work = Union(work, Union(device.compute.busy, device.copies.busy));
          runs[task.task] += static_cast<int64_t>(device.compute.runs.size());
        }
        busy[task.task] = Micros(work);
      }
      for (auto& [job, tasks] : jobs) {
        if (std::ranges::any_of(
                tasks, [&](const TaskWork& w) { return busy[w.task] == 0; })) {
          continue;
        }
        ++num_steps[job];
        for (TaskWork& work : tasks) {
          work.busy = WrapAdd(work.busy, busy[work.task]);
          work.runs += runs[work.task];
        }
      }
    }
    for (const auto& [job, tasks] : jobs) {
      if (num_steps[job] > 0) CheckJob(job, tasks, num_steps[job]);
    }
  }

 private:
  // A task over the steps in which all of its job's tasks ran.
  struct TaskWork {
    uint32_t task = 0;
    int64_t busy = 0;
    int64_t runs = 0;  // of ops
  };

  void CheckJob(std::string_view job, const std::vector<TaskWork>& tasks,
                int64_t num_steps) {
    const TaskWork& slow = *std::max_element(
        tasks.begin(), tasks.end(),
        [](const TaskWork& a, const TaskWork& b) { return a.busy < b.busy; });
    // A task that runs less than half or more than twice as many ops has other
    // work.
    std::vector<int64_t> others;
    for (const TaskWork& work : tasks) {
      if (work.task == slow.task || work.runs * 2 < slow.runs ||
          work.runs > slow.runs * 2) {
        continue;
      }
      others.push_back(work.busy);
    }
    if (others.empty()) return;
    const int64_t median = Median(others);
    const double ratio =
        static_cast<double>(slow.busy) / static_cast<double>(median);
    const int64_t excess = WrapSub(slow.busy, median) / num_steps;
    if (median <= 0 || ratio < settings_.Get("straggler") ||
        static_cast<double>(excess) < settings_.Get("min_micros")) {
      return;
    }
    const std::string& task = activities_.roles().tasks()[slow.task].name;
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
                             task, FormatMicros(slow.busy / num_steps), ratio,
                             others.size(), job,
                             FormatMicros(median / num_steps))});
  }

  const Profile& profile_;
  Activities& activities_;
  const CheckerSettings& settings_;
  CheckResult& result_;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  Views& views = input.views;
  CheckResult result;
  StragglerCheck(views, settings, result).Run(views);
  return result;
}

}  // namespace

const Checker kStragglerChecker = {
    kName,
    "Tasks of a job that are busier than the others.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kTasks};

}  // namespace tfprof
