#include "advisor/checkers/steps/late_rank.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/activity.h"
#include "timeline/lane_units.h"
#include "timeline/ranks/collective_call.h"

namespace tfprof::advisor {
namespace {

using timeline::Part;

// The device of a rank that computes most in a step.
const timeline::DeviceAccount* DeviceOf(const DeviceCheck& check,
                                        const timeline::StepAccount& account,
                                        std::string_view rank) {
  const timeline::DeviceAccount* most = nullptr;
  for (const timeline::DeviceAccount& device : account.devices) {
    const profile::ProcessId process =
        check.activities.units()[device.unit].process;
    if (timeline::RankName(check.profile().lanes(), process) != rank) continue;
    if (most == nullptr || device.Of(timeline::PartKind::kCompute) >
                               most->Of(timeline::PartKind::kCompute)) {
      most = &device;
    }
  }
  return most;
}

}  // namespace

std::optional<LateCause> FollowLateRank(
    const DeviceCheck& check,
    std::span<const timeline::StepAccount* const> accounts, uint32_t unit) {
  constexpr double kExplains = 0.4;
  std::vector<const timeline::DeviceAccount*> late, waits;
  for (const timeline::StepAccount* account : accounts) {
    const timeline::DeviceAccount* of = account->Find(unit);
    if (of == nullptr || (*of)[Part::kLateRank].details.empty()) continue;
    const timeline::DeviceAccount* other =
        DeviceOf(check, *account, (*of)[Part::kLateRank].details[0].name);
    if (other == nullptr) continue;
    waits.push_back(of);
    late.push_back(other);
  }
  if (late.empty()) return std::nullopt;
  timeline::StepAccount of_late, of_waits;
  of_late.devices = {Sum(late)};
  of_waits.devices = {Sum(waits)};
  of_late.devices[0].unit = of_waits.devices[0].unit;
  // A wait is no reason to be late.
  for (const Part part : {Part::kCommunication, Part::kQueue}) {
    of_late.devices[0][part] = {};
  }
  const auto more = timeline::LargestGrowth(of_late, of_waits);
  if (!more || more->part == Part::kNotRecorded ||
      static_cast<double>(more->more) <
          kExplains *
              static_cast<double>(of_waits.devices[0][Part::kLateRank].ticks)) {
    return std::nullopt;
  }
  return LateCause{*more, std::move(of_late.devices[0])};
}

bool HasStages(const DeviceCheck& check) {
  return std::ranges::any_of(
      check.activity->devices, [&](const timeline::DeviceActivity& device) {
        return std::ranges::any_of(
            device.runs, [&](const timeline::DeviceRun& run) {
              return timeline::IsPeerTransfer(check.activities, run);
            });
      });
}

}  // namespace tfprof::advisor
