// Copies between a GPU and the host, or another GPU, while the GPU computes
// nothing.

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"

namespace tfprof {
namespace {

constexpr std::string_view kName = "CopyChecker";

constexpr Rule kRules[] = {
    {"exposed_copies",
     "A GPU only copied for more than the threshold of its steps.",
     "share of the step", "exposed"},
};
constexpr CheckerOption kOptions[] = {
    {"exposed", 0.1, "share",
     "A smaller share of copies without computation is not reported."},
    kMinStep,
};

// The copies of one direction.
struct Copies {
  int64_t count = 0;
  int64_t micros = 0;
  int64_t bytes = 0;
  bool knows_bytes = true;
};

struct Device {
  StepShare exposed;
  std::array<Copies, kNumCopyKinds> kinds;
  // The longest.
  int64_t longest = 0;
  int64_t longest_bytes = -1;
  std::string longest_name;
};

void AddStep(Activities& activities, const Step& step, const TaskActivity& task,
             const DeviceActivity& device, Device& sum) {
  sum.exposed.Add(step, task.span,
                  Micros(Subtract(device.copies.busy, device.compute.busy)));
  for (const Run& run : device.copies.runs) {
    const std::string_view name = activities.Name(step, run);
    const Transfer text = activities.TransferOf(step, run);
    Copies& copies = sum.kinds[static_cast<size_t>(text.kind)];
    ++copies.count;
    copies.micros = WrapAdd(copies.micros, run.micros());
    copies.knows_bytes &= text.bytes >= 0;
    copies.bytes = WrapAdd(copies.bytes, std::max<int64_t>(text.bytes, 0));
    if (run.micros() > sum.longest) {
      sum.longest = run.micros();
      sum.longest_bytes = text.bytes;
      sum.longest_name = name;
    }
  }
}

std::string Bytes(int64_t bytes, bool known) {
  return known ? " for " + FormatBytes(bytes) : "";
}

Finding MakeFinding(const std::string& name, const Device& device,
                    double threshold) {
  Finding f = device.exposed.MakeFinding("exposed_copies", threshold);
  f.subject = name;
  f.evidence = TimelineCommand(device.exposed.worst_step);
  f.advice =
      "Keep tensors where they are used: place the ops on both ends of a copy "
      "on one device, prefetch input to the GPU, fetch results less often.";
  f.text = fmt::format("{}: only copies for {}", name, device.exposed.Text());
  const char* separator = ": ";
  for (int k = 0; k < kNumCopyKinds; ++k) {
    const Copies& copies = device.kinds[k];
    if (copies.count == 0) continue;
    f.text += fmt::format("{}{} {} in {}{}", separator, copies.count,
                          CopyKindName(static_cast<CopyKind>(k)),
                          FormatMicros(copies.micros),
                          Bytes(copies.bytes, copies.knows_bytes));
    separator = ", ";
  }
  f.text += fmt::format("; the longest {}{} ({})", FormatMicros(device.longest),
                        Bytes(device.longest_bytes, device.longest_bytes >= 0),
                        device.longest_name);
  return f;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  Views& views = input.views;
  const double threshold = settings.Get("exposed");
  Activities& activities = views.Kept<Activities>();
  CheckResult result;
  NoteMissing(views, kName, /*needs_kernels=*/false, result.notes);
  std::map<uint32_t, Device> devices;  // by unit
  ForEachTask(views, settings.Get("min_step"),
              [&](const Step& step, const TaskActivity& task) {
                for (const DeviceActivity& device : task.devices) {
                  if (!device.accelerator) continue;
                  AddStep(activities, step, task, device, devices[device.unit]);
                }
              });
  for (const auto& [unit, device] : devices) {
    if (device.exposed.share() <= threshold) continue;
    result.findings.push_back(
        MakeFinding(activities.roles().units()[unit].name, device, threshold));
  }
  return result;
}

}  // namespace

const Checker kCopyChecker = {"CopyChecker",
                              "Whether a GPU waits for copies to and from it.",
                              Checker::Kind::kAdvice,
                              kRules,
                              kOptions,
                              Check,
                              Checker::Needs::kTaskTimes};

}  // namespace tfprof
