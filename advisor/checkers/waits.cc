// Communication that nothing hides: a task receives, sends or reduces while
// none of its devices computes. And the links that took longest.

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"
#include "util/ascii.h"

namespace tfprof {
namespace {

constexpr std::string_view kName = "WaitChecker";
constexpr size_t kTop = 3;

constexpr Rule kRules[] = {
    {"exposed_communication",
     "A task only communicated for more than the threshold of its steps.",
     "share of the step", "exposed", Rule::Says::kWhoWaits},
    {"slow_link",
     "The transfers that took longest, where exposed_communication fires.",
     "microseconds per step"},
};
constexpr CheckerOption kOptions[] = {
    {"exposed", 0.15, "share",
     "A smaller share of communication without computation is not reported."},
    kMinStep,
};

// The transfers from one device to another, or of one kind of op where its
// record names no devices.
struct Link {
  int64_t count = 0;
  int64_t micros = 0;  // sum of all; overlapping ones count in full
  int64_t longest = 0;
  std::string longest_tensor;
  int64_t bytes = 0;
  bool knows_bytes = true;
};

struct Task {
  StepShare exposed;
  std::map<std::string, Link> links;
};

void AddRun(Activities& activities, const Step& step, const Run& run,
            Task& sum) {
  const Transfer text = activities.TransferOf(step, run);
  std::string name;
  if (text.from.empty()) {
    name = fmt::format("{} on {}", activities.Op(step, run),
                       activities.Device(step, run));
  } else {
    const std::string to = text.to.empty()
                               ? std::string(activities.Device(step, run))
                               : LowerCase(text.to);
    // The label of a _Send, too, has the device at the other end.
    const bool sends =
        activities.Op(step, run).find("Send") != std::string_view::npos;
    const std::string from = LowerCase(text.from);
    name = fmt::format("from {} to {}", sends ? to : from, sends ? from : to);
  }
  Link& link = sum.links[name];
  ++link.count;
  link.micros = WrapAdd(link.micros, run.micros());
  if (run.micros() > link.longest) {
    link.longest = run.micros();
    link.longest_tensor =
        text.tensor.empty() ? activities.Name(step, run) : text.tensor;
  }
  link.knows_bytes &= text.bytes >= 0;
  link.bytes = WrapAdd(link.bytes, std::max<int64_t>(text.bytes, 0));
}

void AddStep(Activities& activities, const Step& step, const TaskActivity& task,
             std::map<uint32_t, Task>& tasks) {
  UnionOfMany all_communication, all_compute;
  for (const DeviceActivity& device : task.devices) {
    all_communication.Add(device.communication.busy);
    // Without records of kernels, the launches stand for the work of the GPU.
    const Track& track = device.accelerator && device.compute.runs.empty()
                             ? device.launches
                             : device.compute;
    all_compute.Add(track.busy);
  }
  Task& sum = tasks[task.task];
  sum.exposed.Add(step, task.span,
                  Micros(Subtract(std::move(all_communication).Take(),
                                  std::move(all_compute).Take())));
  for (const DeviceActivity& device : task.devices) {
    for (const Run& run : device.communication.runs) {
      AddRun(activities, step, run, sum);
    }
  }
}

Finding ExposedFinding(const std::string& name, const Task& task,
                       double threshold) {
  Finding f = task.exposed.MakeFinding("exposed_communication", threshold);
  f.subject = name;
  f.evidence = TimelineCommand(task.exposed.worst_step);
  f.advice =
      "Overlap communication with computation: request tensors earlier, keep "
      "what every step needs on the device that needs it, send less at once. "
      "A receive's time includes waiting for its producer, so look at what "
      "the sender did then.";
  f.text = fmt::format("{}: only communicates for {}", f.subject,
                       task.exposed.Text());
  return f;
}

Finding LinkFinding(const std::string& task, const std::string& name,
                    const Link& link, const StepShare& exposed) {
  Finding f;
  f.rule = "slow_link";
  f.subject = task;
  f.value = static_cast<double>(link.micros / exposed.steps);
  f.evidence = TimelineCommand(exposed.worst_step);
  f.text = fmt::format(
      "{}: {} transfer{}, {} in all{}, the longest {} ({})", name, link.count,
      link.count == 1 ? "" : "s", FormatMicros(link.micros),
      link.knows_bytes ? fmt::format(" for {}", FormatBytes(link.bytes)) : "",
      FormatMicros(link.longest), link.longest_tensor);
  return f;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  Views& views = input.views;
  const double threshold = settings.Get("exposed");
  Activities& activities = views.Kept<Activities>();
  CheckResult result;
  NoteMissing(views, kName, /*needs_kernels=*/false, result.notes);
  std::map<uint32_t, Task> tasks;
  ForEachTask(views, settings.Get("min_step"),
              [&](const Step& step, const TaskActivity& task) {
                if (activities.roles().tasks()[task.task].parameter_server) {
                  return;
                }
                AddStep(activities, step, task, tasks);
              });
  for (const auto& [id, task] : tasks) {
    if (task.exposed.share() <= threshold) continue;
    const std::string& name = activities.roles().tasks()[id].name;
    result.findings.push_back(ExposedFinding(name, task, threshold));
    std::vector<std::pair<const std::string*, const Link*>> links;
    for (const auto& [link_name, link] : task.links) {
      links.push_back({&link_name, &link});
    }
    std::stable_sort(links.begin(), links.end(),
                     [](const auto& a, const auto& b) {
                       return a.second->micros > b.second->micros;
                     });
    for (size_t i = 0; i < links.size() && i < kTop; ++i) {
      result.findings.push_back(
          LinkFinding(name, *links[i].first, *links[i].second, task.exposed));
    }
  }
  return result;
}

}  // namespace

const Checker kWaitChecker = {
    "WaitChecker",
    "Whether a task waits for transfers that no computation hides.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kTaskTimes};

}  // namespace tfprof
