// Finds accelerators that did nothing in the whole recording, although others
// of the same kind in the same process worked.
//
// A file may list all devices of a machine, and the program may want only one.
// So it is a warning only if several devices worked, and others did not. If
// several processes worked on one device each, each has its own.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"

namespace tfprof::advisor {
namespace {
namespace unused_devices {

constexpr Rule kRules[] = {
    {"unused_devices",
     "Accelerators of a process did nothing, while others of the same kind "
     "worked. It is a warning if several others computed.",
     "unused devices", "unused_devices"},
};
constexpr CheckerOption kOptions[] = {
    {"unused_devices", 1, "count", "Fewer unused devices are not reported."},
};

// The accelerators of one kind in a process.
struct Devices {
  std::vector<std::string> unused;
  int64_t used = 0;
  int64_t computing = 0;  // of the used ones; the others only copied
  // Whether the file has the properties of a used and of an unused device.
  bool knows_used = false;
  bool knows_unused = false;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  const profile::LaneTable& lanes = check.profile().lanes();
  std::set<profile::PhysicalId> used, computing;
  std::set<profile::ProcessId> working;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    const timeline::LaneUnit& unit = check.activities.units()[device.unit];
    if (device.executions > 0 || !device.launching.empty()) {
      used.insert(unit.physical);
      if (!device.compute.empty()) computing.insert(unit.physical);
      if (unit.accelerator) working.insert(unit.process);
    }
  }
  std::map<std::pair<profile::ProcessId, std::string>, Devices> kinds;
  for (profile::PhysicalId id = 0; id < lanes.num_physical(); ++id) {
    const profile::PhysicalDevice& device = lanes.physical(id);
    if (device.kind.empty() || device.kind == "cpu" || device.kind == "other") {
      continue;
    }
    Devices& of_kind = kinds[{device.process, device.kind}];
    if (used.contains(id)) {
      ++of_kind.used;
      of_kind.computing += computing.contains(id);
      of_kind.knows_used |= device.memory_bytes > 0;
    } else {
      of_kind.unused.push_back(device.name);
      of_kind.knows_unused |= device.memory_bytes > 0;
    }
  }
  for (const auto& [kind, devices] : kinds) {
    // If only devices that did nothing have properties, these have other
    // numbers than the work: ROCm counts agents, which include the host's.
    const bool other_numbers = devices.knows_unused && !devices.knows_used;
    if (devices.used == 0 || devices.unused.empty() || other_numbers ||
        (devices.used == 1 && working.size() > 1)) {
      continue;
    }
    const size_t unused = devices.unused.size();
    const size_t all = unused + static_cast<size_t>(devices.used);
    Finding f;
    f.rule = kRules[0].id;
    f.severity = devices.computing > 1 ? Finding::Severity::kWarning
                                       : Finding::Severity::kInfo;
    f.subject = devices.unused.front();
    f.value = static_cast<double>(unused);
    f.threshold = settings.Get("unused_devices");
    if (f.value < f.threshold) continue;
    f.evidence = "devices";
    f.advice = fmt::format(
        "Divide the work among the {} devices (data parallelism), or hide the "
        "unused ones, so that others can use them.",
        all);
    std::string names;
    constexpr size_t kShown = 3;
    for (size_t i = 0; i < std::min(kShown, unused); ++i) {
      names += fmt::format("{}{}", i == 0 ? "" : ", ", devices.unused[i]);
    }
    if (unused > kShown) names += " …";
    f.text = fmt::format(
        "{} of {} {} devices did nothing in the recording ({}); the others "
        "did all the work",
        unused, all, kind.second, names);
    if (devices.used == 1) {
      f.text = fmt::format(
          "{} of {} {} devices did nothing in the recording ({}); one did all "
          "the work",
          unused, all, kind.second, names);
    }
    result.findings.push_back(std::move(f));
  }
  return result;
}

}  // namespace unused_devices
}  // namespace

const Checker kUnusedDeviceChecker = {
    "UnusedDeviceChecker",
    "Whether accelerators did nothing while others worked.",
    Checker::Kind::kAdvice,
    unused_devices::kRules,
    unused_devices::kOptions,
    unused_devices::Check,
    Checker::Needs::kAccelerators};

}  // namespace tfprof::advisor
