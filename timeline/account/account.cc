#include "timeline/account/account.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "profile/launch_calls.h"
#include "timeline/account/host_pieces.h"
#include "timeline/account/idle_parts.h"
#include "timeline/account/merged_threads.h"
#include "timeline/account/part_sums.h"
#include "timeline/account/queued_waits.h"
#include "timeline/account/run_parts.h"
#include "timeline/account/step_wall.h"
#include "timeline/activity.h"
#include "timeline/lane_units.h"
#include "timeline/ranks/clock_offsets.h"
#include "timeline/ranks/late_ranks.h"
#include "timeline/ranks/same_steps.h"
#include "timeline/tracks.h"
#include "util/arithmetic.h"
#include "util/run/threads.h"

namespace tfprof::timeline {
namespace {

class Accountant {
 public:
  Accountant(views::Views& views, std::span<const profile::Step* const> steps)
      : views_(views),
        profile_(views.profile()),
        activities_(views.Kept<Activities>()),
        everything_(activities_.Everything()),
        host_functions_(activities_) {
    std::set<profile::ProcessId> with_accelerators;
    for (const DeviceActivity& device : everything_->devices) {
      if (device.accelerator && device.executions > 0) {
        with_accelerators.insert(UnitOf(device).process);
        accelerators_[UnitOf(device).process].push_back(&device);
      }
    }
    const std::set<uint32_t> with_runs = UnitsWithRuns();
    const std::set<uint32_t> beside = UnitsBesideSteps();
    for (const DeviceActivity& device : everything_->devices) {
      const bool accelerator = device.accelerator && device.executions > 0;
      if (beside.contains(device.unit)) continue;
      if (!accelerator && (device.accelerator ||
                           with_accelerators.contains(UnitOf(device).process)))
        continue;
      devices_.push_back(
          {.activity = &device,
           .nested_host = !accelerator && !with_runs.contains(device.unit),
           .windows = {},
           .idle = {},
           .late = {}});
    }
    kernels_missing_ = KernelsAreMissing();
    AddSteps(steps);
    const auto cancelled = [&] { return views_.work().cancelled(); };
    if (!cancelled()) FindBusyTimes();
    if (!cancelled()) FindHostPieces();
    if (!cancelled()) FindRankWaits();
  }

  std::vector<StepAccount> Take() && {
    for (StepAccount& account : accounts_) {
      for (const Device& device : devices_) {
        const profile::ProcessId process = UnitOf(*device.activity).process;
        account.devices.push_back(
            {.unit = device.activity->unit,
             .accelerator = device.activity->accelerator,
             .serves_parameters =
                 process < profile_.lanes().num_processes() &&
                 profile_.lanes().process(process).parameter_server});
      }
    }
    // The runs of hosts are computed for each step, and cached.
    for (size_t d = 0; d < devices_.size(); ++d) {
      if (!devices_[d].activity->accelerator) AddDevice(d);
    }
    util::ParallelFor(views_.work(), devices_.size(), [&](size_t d) {
      if (devices_[d].activity->accelerator) AddDevice(d);
    });
    return std::move(accounts_);
  }

 private:
  struct Device {
    const DeviceActivity* activity = nullptr;
    // A host whose calls nest has no runs: its threads say what it did.
    bool nested_host = false;
    std::vector<Intervals> windows;  // by step
    std::vector<Intervals> idle;     // by step
    std::vector<LateTime> late;
  };

  // Whether the host launched kernels and the file has none: then nothing is
  // known about when devices were idle.
  bool KernelsAreMissing() const {
    for (const DeviceActivity& device : everything_->devices) {
      if (device.accelerator &&
          !(device.compute.empty() && device.communication.empty())) {
        return false;
      }
    }
    return std::ranges::any_of(
        profile_.nodes().op, [&](const profile::StringId op) {
          return profile::IsKernelLaunch(profile_.strings().Get(op));
        });
  }
  const LaneUnit& UnitOf(const DeviceActivity& device) const {
    return activities_.units()[device.unit];
  }
  // The units whose work is runs.
  std::set<uint32_t> UnitsWithRuns() const {
    std::set<uint32_t> units;
    const profile::LaneTable& lanes = profile_.lanes();
    for (profile::LaneId id = 0; id < lanes.size(); ++id) {
      if (!lanes[id].calls_nest && lanes[id].repeats == profile::kNone &&
          (lanes[id].kind == profile::LaneKind::kCompute ||
           lanes[id].kind == profile::LaneKind::kLaunches)) {
        units.insert(activities_.unit_of(id));
      }
    }
    return units;
  }

  bool WorksInSteps(const DeviceActivity& device) const {
    bool any = false;
    for (const auto& step : profile_.steps()) {
      if (!step->listed) continue;
      any = true;
      for (const Interval& time : StepWindow(activities_, *step, device.unit)) {
        const auto work = std::partition_point(
            device.busy.begin(), device.busy.end(),
            [&](const Interval& of) { return of.end <= time.start; });
        if (work != device.busy.end() && work->start < time.end) return true;
      }
    }
    return !any;
  }
  // The accelerators that work only outside of the steps of their process, if
  // others work in them: they were set up or given data, and no step waits for
  // them.
  std::set<uint32_t> UnitsBesideSteps() const {
    std::set<profile::ProcessId> with_steps;
    std::vector<const DeviceActivity*> without;
    for (const DeviceActivity& device : everything_->devices) {
      if (!device.accelerator || device.executions == 0) continue;
      if (WorksInSteps(device)) {
        with_steps.insert(UnitOf(device).process);
      } else {
        without.push_back(&device);
      }
    }
    std::set<uint32_t> units;
    for (const DeviceActivity* device : without) {
      if (with_steps.contains(UnitOf(*device).process)) {
        units.insert(device->unit);
      }
    }
    return units;
  }

  void FindBusyTimes() {
    std::map<profile::ProcessId, UnionOfMany> busy;
    for (const Device& device : devices_) {
      UnionOfMany& of_process = busy[UnitOf(*device.activity).process];
      if (device.activity->accelerator) of_process.Add(device.activity->busy);
    }
    for (auto& [process, all] : busy) {
      busy_[process] = std::move(all).Take(views_.work().cancellation);
    }
  }

  // A host that only waits in a Python function, or launches, is not at work.
  static Intervals WorkOfHost(const DeviceActivity& device) {
    return Union(Union(device.compute, device.communication), device.copies);
  }

  void AddSteps(std::span<const profile::Step* const> steps) {
    for (const profile::Step* step : steps) {
      accounts_.push_back({.step = step, .devices = {}});
      if (views_.work().cancelled()) continue;
      for (Device& device : devices_) {
        device.windows.push_back(
            StepWindow(activities_, *step, device.activity->unit));
      }
    }
    util::ParallelFor(views_.work(), devices_.size(),
                      [&](size_t d) { FindIdleTime(devices_[d]); });
  }

  void FindIdleTime(Device& device) const {
    if (device.nested_host) {
      device.idle = device.windows;
      return;
    }
    Intervals of_host;
    if (!device.activity->accelerator) of_host = WorkOfHost(*device.activity);
    const Intervals& work =
        device.activity->accelerator ? device.activity->busy : of_host;
    for (const Intervals& window : device.windows) {
      if (views_.work().cancelled()) return;
      device.idle.push_back(Subtract(window, work));
    }
  }

  void FindHostPieces() {
    std::map<profile::ProcessId, UnionOfMany> wanted;
    for (const Device& device : devices_) {
      if (!device.activity->accelerator && !device.nested_host) continue;
      for (const Intervals& idle : device.idle) {
        if (views_.work().cancelled()) return;
        wanted[UnitOf(*device.activity).process].Add(idle);
      }
    }
    for (auto& [process, all] : wanted) {
      wanted_[process] = std::move(all).Take(views_.work().cancellation);
    }
    pieces_.emplace(activities_, wanted_);
    for (const Device& device : devices_) {
      if (views_.work().cancelled()) return;
      const bool is_host = !device.activity->accelerator;
      const profile::ProcessId process = UnitOf(*device.activity).process;
      merged_.try_emplace(
          process, pieces_->OfProcess(process), wanted_[process],
          [&](const HostPiece& piece) {
            return IdleParts::IsWait(activities_, is_host, piece);
          },
          is_host, views_.work());
    }
  }

  void FindRankWaits() {
    if (profile_.lanes().num_processes() < 2) return;
    const std::vector<size_t> places = PlacesOfSteps(profile_, -1);
    const ClockOffsets clocks =
        EstimateClockOffsets(profile_, places, views_.work());
    const std::vector<uint32_t> ranks = RanksOfLanes(profile_);
    std::map<uint32_t, Device*> devices_of_unit;
    for (Device& device : devices_) {
      devices_of_unit[device.activity->unit] = &device;
    }
    // The parts of the ranks in a step may be several steps of the profile.
    for (const std::vector<size_t>& group : GroupSameSteps(profile_, places)) {
      for (const RankWait& wait :
           timeline::FindRankWaits(profile_, group, ranks, clocks)) {
        if (wait.time.length() <= 0 || wait.late == wait.process) continue;
        const auto of = devices_of_unit.find(activities_.unit_of(wait.lane));
        if (of == devices_of_unit.end()) continue;
        of->second->late.push_back({wait.time, wait.late});
      }
    }
    for (Device& device : devices_) {
      std::ranges::sort(device.late, {},
                        [](const LateTime& of) { return of.time.start; });
    }
  }

  void AddDevice(size_t d) {
    if (views_.work().cancelled()) return;
    const Device& device = devices_[d];
    const DeviceActivity& activity = *device.activity;
    RunParts runs(activities_, device.late);
    FlatRuns flat(activity, runs);
    const auto all = accelerators_.find(UnitOf(activity).process);
    std::span<const DeviceActivity* const> beside;
    if (all != accelerators_.end()) beside = all->second;
    QueuedWaits queued(activities_, activity, beside, host_functions_);
    IdleParts causes(activities_, activity,
                     merged_.at(UnitOf(activity).process),
                     busy_.at(UnitOf(activity).process), queued, runs);
    for (const size_t step : ByStart(device.windows)) {
      if (views_.work().cancelled()) return;
      const Intervals& window = device.windows[step];
      DeviceAccount& account = accounts_[step].devices[d];
      account.wall = Length(window);
      PartSums sums;
      if (!device.nested_host) {
        const Intervals free =
            AddRuns(*accounts_[step].step, activity, flat, window, runs, sums);
        // Some threads of a host may have calls that nest, which are no runs.
        sums.Add(Part::kOtherCompute, "",
                 Length(free) - Length(device.idle[step]));
      }
      if (activity.accelerator && kernels_missing_) {
        sums.Add(Part::kNotRecorded, kNoKernels, Length(device.idle[step]));
      } else if (activity.accelerator || device.nested_host) {
        causes.Add(device.idle[step], sums);
      } else {
        sums.Add(Part::kNotRecorded, "", Length(device.idle[step]));
      }
      std::move(sums).Finish(account);
    }
  }

  // The places of windows in the order of their starts.
  static std::vector<size_t> ByStart(std::span<const Intervals> windows) {
    std::vector<size_t> places(windows.size());
    std::iota(places.begin(), places.end(), 0);
    std::ranges::stable_sort(places, {}, [&](size_t place) {
      return windows[place].empty() ? 0 : windows[place].front().start;
    });
    return places;
  }

  // The runs of hosts are only in the activity of their step.
  Intervals AddRuns(const profile::Step& step, const DeviceActivity& device,
                    FlatRuns& flat, const Intervals& window, RunParts& runs,
                    PartSums& sums) {
    if (!device.runs.empty()) return runs.Add(flat, window, sums);
    if (device.accelerator) return window;
    const auto of_step = activities_.Of(step);
    const DeviceActivity* host = of_step->Find(device.unit);
    if (host == nullptr) return window;
    FlatRuns of_host(*host, runs);
    return runs.Add(of_host, window, sums);
  }

  views::Views& views_;
  const profile::Profile& profile_;
  Activities& activities_;
  const std::shared_ptr<const StepActivity> everything_;
  const HostFunctions host_functions_;
  // The accelerators that work, by process.
  std::map<profile::ProcessId, std::vector<const DeviceActivity*>>
      accelerators_;
  bool kernels_missing_ = false;
  std::vector<Device> devices_;
  std::vector<StepAccount> accounts_;
  HostPieces::Wanted wanted_;  // the idle time
  std::optional<HostPieces> pieces_;
  std::map<profile::ProcessId, MergedThreads> merged_;
  // When any accelerator of a process works.
  std::map<profile::ProcessId, Intervals> busy_;
};

// The accounts that were computed.
class KeptAccounts {
 public:
  explicit KeptAccounts(const profile::Profile& profile) : profile_(profile) {}

  const StepAccount& Of(views::Views& views, const profile::Step& step) {
    const auto& rules = views.Kept<Activities>().rules();
    if (rules_ != rules) accounts_.clear();
    rules_ = rules;
    const auto found = accounts_.find(&step);
    if (found != accounts_.end()) return found->second;
    // The executions outside of steps are no step: nothing else needs them.
    std::vector<const profile::Step*> steps = {&step};
    if (step.listed) {
      steps.clear();
      for (const auto& of : profile_.steps()) {
        if (of->listed) steps.push_back(of.get());
      }
    }
    for (StepAccount& account : Accountant(views, steps).Take()) {
      const profile::Step* of = account.step;
      accounts_.emplace(of, std::move(account));
    }
    return accounts_.at(&step);
  }

 private:
  const profile::Profile& profile_;
  std::shared_ptr<const CommunicationRules> rules_;
  std::map<const profile::Step*, StepAccount> accounts_;
};

}  // namespace

int64_t DeviceAccount::Of(PartKind kind) const {
  int64_t ticks = 0;
  for (const PartInfo& info : AllParts()) {
    if (info.kind == kind) {
      ticks = util::SaturatingAdd(ticks, (*this)[info.part].ticks);
    }
  }
  return ticks;
}

const DeviceAccount* StepAccount::Find(uint32_t unit) const {
  return FindUnit(devices, unit);
}

const StepAccount& AccountOf(views::Views& views, const profile::Step& step) {
  return views.Kept<KeptAccounts>().Of(views, step);
}

std::vector<const StepAccount*> AccountsOf(
    views::Views& views, std::span<const profile::Step* const> steps) {
  std::vector<const StepAccount*> accounts;
  for (const profile::Step* step : steps) {
    accounts.push_back(&AccountOf(views, *step));
  }
  return accounts;
}

std::optional<GrownPart> LargestGrowth(const StepAccount& account,
                                       const StepAccount& usual) {
  // A wait for a late rank grows because something grows on that rank.
  constexpr int64_t kExplains = 2;
  std::optional<GrownPart> largest, wait;
  for (const DeviceAccount& device : account.devices) {
    const DeviceAccount* before = usual.Find(device.unit);
    if (before == nullptr) continue;
    for (const PartInfo& info : AllParts()) {
      const int64_t more =
          util::WrapSub(device[info.part].ticks, (*before)[info.part].ticks);
      std::optional<GrownPart>& most =
          info.part == Part::kLateRank ? wait : largest;
      if (more <= (most ? most->more : 0)) continue;
      most = {
          .part = info.part, .unit = device.unit, .more = more, .detail = ""};
    }
  }
  if (wait && (!largest || largest->more < wait->more / kExplains)) {
    largest = wait;
  }
  if (!largest) return largest;
  const PartTime& now = (*account.Find(largest->unit))[largest->part];
  const PartTime& then = (*usual.Find(largest->unit))[largest->part];
  int64_t most = 0;
  for (const PartDetail& detail : now.details) {
    const auto same = std::find_if(
        then.details.begin(), then.details.end(),
        [&](const PartDetail& of) { return of.name == detail.name; });
    const int64_t more = util::WrapSub(
        detail.ticks, same == then.details.end() ? 0 : same->ticks);
    if (more <= most) continue;
    most = more;
    largest->detail = detail.name;
  }
  return largest;
}

DeviceAccount Sum(std::span<const DeviceAccount* const> accounts) {
  DeviceAccount sum;
  PartSums parts;
  for (const DeviceAccount* account : accounts) {
    if (account == accounts.front()) {
      sum.unit = account->unit;
      sum.accelerator = account->accelerator;
    }
    sum.wall = util::SaturatingAdd(sum.wall, account->wall);
    for (const PartInfo& info : AllParts()) {
      parts.Add((*account)[info.part], info.part);
    }
  }
  std::move(parts).Finish(sum);
  return sum;
}

JobAccount SumOf(const StepAccount& account) {
  std::vector<const DeviceAccount*> devices;
  for (const bool accelerator : {true, false}) {
    for (const DeviceAccount& device : account.devices) {
      if (device.accelerator == accelerator && device.wall > 0) {
        devices.push_back(&device);
      }
    }
    if (!devices.empty()) break;
  }
  return {.sum = Sum(devices), .devices = devices.size()};
}

}  // namespace tfprof::timeline
