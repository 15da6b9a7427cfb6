#include "timeline/account.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "timeline/activity.h"
#include "timeline/clock_offsets.h"
#include "timeline/host_pieces.h"
#include "timeline/lane_units.h"
#include "timeline/late_ranks.h"
#include "timeline/same_steps.h"
#include "timeline/step_wall.h"
#include "timeline/tracks.h"
#include "timeline/work_classes.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {
namespace {

// The limits of pieces of host time, in microseconds. Shorter pieces between
// launches are the cost of launching; longer ones are a cause of their own.
constexpr int64_t kLongProgram = 50;   // in a function of the program
constexpr int64_t kLongLibrary = 500;  // in a function of a library
constexpr int64_t kLongOperator = 500;
constexpr int64_t kLongLaunch = 1000;  // the first use of a kernel loads it
constexpr int64_t kLongSilence = 100;  // nothing was recorded
constexpr int64_t kLongAllocation = 200000;  // it sets the device up
// A launched run starts after this time, unless it waits for something.
constexpr int64_t kLaunchLatency = 1000;

constexpr std::string_view kLaunchRemedy =
    "Launch work in fewer calls: CUDA graphs or torch.compile, larger batches, "
    "fused operations.";

constexpr PartInfo kParts[] = {
    {Part::kMatrixProducts, PartKind::kCompute, "matrix_products",
     "matrix products", ""},
    {Part::kAttention, PartKind::kCompute, "attention", "attention", ""},
    {Part::kConvolutions, PartKind::kCompute, "convolutions", "convolutions",
     ""},
    {Part::kNormalization, PartKind::kCompute, "normalization", "normalization",
     ""},
    {Part::kReductions, PartKind::kCompute, "reductions", "reductions", ""},
    {Part::kElementwise, PartKind::kCompute, "elementwise", "elementwise", ""},
    {Part::kDeviceCopies, PartKind::kCompute, "device_copies",
     "copies in the device", ""},
    {Part::kOtherCompute, PartKind::kCompute, "other_compute",
     "other computation", ""},
    {Part::kCommunication, PartKind::kCommunication, "communication",
     "communication alone",
     "Start communication earlier and in parts (gradient buckets, prefetching "
     "of shards), so that it runs beside computation."},
    {Part::kLateRank, PartKind::kCommunication, "late_rank",
     "waiting for a late rank",
     "Find what the late rank does before it joins the collective: input, more "
     "work than the others, or a slower machine."},
    {Part::kCopies, PartKind::kCopies, "copies", "copies alone",
     "Copy beside computation: pinned memory, non_blocking=True, a stream of "
     "its own; copy less."},
    {Part::kOffload, PartKind::kCopies, "offload", "waiting for offload",
     "Computation waits for tensors that are offloaded to the host: offload "
     "less, rematerialize more, or start the copies earlier."},
    {Part::kInput, PartKind::kIdle, "input", "waiting for input",
     "Prepare input ahead of the step, in other processes: num_workers and "
     "prefetch_factor of the DataLoader, prefetch() of tf.data and Grain; read "
     "and decode less."},
    {Part::kPython, PartKind::kIdle, "python", "Python functions",
     "Move this function out of the step, make it faster, or run it less "
     "often; the device has nothing to do meanwhile."},
    {Part::kHostWork, PartKind::kIdle, "host_work", "work of the host",
     "Run these operations on the device, or beside its work."},
    {Part::kLaunches, PartKind::kIdle, "launches", "slow launches",
     kLaunchRemedy},
    {Part::kSynchronization, PartKind::kIdle, "synchronization",
     "synchronization",
     "Remove what waits in the step: .item(), .cpu(), printing of tensors, "
     "torch.cuda.synchronize(). Copy without blocking and read results a step "
     "later."},
    {Part::kAllocation, PartKind::kIdle, "allocation", "allocation",
     "Keep memory instead of returning it to the driver: no empty_cache() in "
     "the step, PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, buffers that "
     "are allocated once."},
    {Part::kCompilation, PartKind::kIdle, "compilation", "compilation",
     "Compile before the steps that count: keep shapes and types the same, and "
     "cache compiled programs."},
    {Part::kFirstUse, PartKind::kIdle, "first_use", "first use and warm-up",
     "This happens once: record after some warm-up steps, or load kernels "
     "ahead (CUDA_MODULE_LOADING=EAGER)."},
    {Part::kQueue, PartKind::kIdle, "queue", "launched work that waits",
     "Launched work waits for another stream, an event or another device: "
     "look for what it depends on in the timeline."},
    {Part::kProfiler, PartKind::kIdle, "profiler", "the profiler itself",
     "Start the profiler before the first step that counts, and skip its first "
     "step (schedule with warmup)."},
    {Part::kNotRecorded, PartKind::kIdle, "not_recorded", "not recorded",
     "Record more to see the cause: Python calls (PyTorch: with_stack=True; "
     "JAX: "
     "python_tracer_level=1), or system calls."},
};
static_assert(std::size(kParts) == kNumParts);

Part PartOf(KernelClass of) {
  switch (of) {
    case KernelClass::kMatrixProduct:
      return Part::kMatrixProducts;
    case KernelClass::kAttention:
      return Part::kAttention;
    case KernelClass::kConvolution:
      return Part::kConvolutions;
    case KernelClass::kNormalization:
      return Part::kNormalization;
    case KernelClass::kReduction:
      return Part::kReductions;
    case KernelClass::kElementwise:
      return Part::kElementwise;
    case KernelClass::kDeviceCopy:
      return Part::kDeviceCopies;
    case KernelClass::kOther:
      break;
  }
  return Part::kOtherCompute;
}

// Adds up the details of the parts of one device.
class PartSums {
 public:
  // `name` must outlive the sums.
  void Add(Part part, std::string_view name, int64_t ticks, int64_t count = 1) {
    if (ticks <= 0) return;
    auto& [sum, pieces] = details_[{part, name}];
    sum = util::SaturatingAdd(sum, ticks);
    pieces += count;
  }
  int64_t Of(Part part) const {
    int64_t ticks = 0;
    for (const auto& [key, sum] : details_) {
      if (key.first == part) ticks = util::SaturatingAdd(ticks, sum.first);
    }
    return ticks;
  }
  // Moves the time of a part to another one, as one detail.
  void Move(Part from, Part to, std::string_view name) {
    int64_t ticks = 0, pieces = 0;
    absl::erase_if(details_, [&](const auto& detail) {
      if (detail.first.first != from) return false;
      ticks = util::SaturatingAdd(ticks, detail.second.first);
      pieces += detail.second.second;
      return true;
    });
    Add(to, name, ticks, pieces);
  }
  void Add(const PartSums& other) {
    for (const auto& [key, sum] : other.details_) {
      Add(key.first, key.second, sum.first, sum.second);
    }
  }
  void Add(const PartTime& time, Part part) {
    for (const PartDetail& detail : time.details) {
      Add(part, detail.name, detail.ticks, detail.count);
    }
    int64_t& other = other_[static_cast<size_t>(part)];
    other = util::SaturatingAdd(other, time.other);
  }

  void Finish(DeviceAccount& account) && {
    for (const auto& [key, sum] : details_) {
      account[key.first].details.push_back({.name = std::string(key.second),
                                            .ticks = sum.first,
                                            .count = sum.second});
    }
    for (size_t p = 0; p < kNumParts; ++p) {
      PartTime& time = account.parts[p];
      std::sort(time.details.begin(), time.details.end(),
                [](const PartDetail& a, const PartDetail& b) {
                  return std::tie(b.ticks, a.name) < std::tie(a.ticks, b.name);
                });
      time.other = other_[p];
      time.ticks = other_[p];
      for (size_t i = 0; i < time.details.size(); ++i) {
        const int64_t ticks = time.details[i].ticks;
        time.ticks = util::SaturatingAdd(time.ticks, ticks);
        if (i >= kMaxDetails)
          time.other = util::SaturatingAdd(time.other, ticks);
      }
      if (time.details.size() > kMaxDetails) time.details.resize(kMaxDetails);
    }
  }

 private:
  // The time and the number of pieces.
  absl::flat_hash_map<std::pair<Part, std::string_view>,
                      std::pair<int64_t, int64_t>>
      details_;
  std::array<int64_t, kNumParts> other_ = {};
};

class Accountant {
 public:
  Accountant(views::Views& views, std::span<const profile::Step* const> steps)
      : views_(views),
        profile_(views.profile()),
        activities_(views.Kept<Activities>()),
        everything_(activities_.Everything()),
        node_part_(profile_.nodes().size(), kUnknown) {
    std::set<profile::ProcessId> with_accelerators;
    for (const DeviceActivity& device : everything_->devices) {
      if (device.accelerator && device.executions > 0) {
        with_accelerators.insert(UnitOf(device).process);
      }
    }
    for (const DeviceActivity& device : everything_->devices) {
      const bool accelerator = device.accelerator && device.executions > 0;
      if (!accelerator && (device.accelerator ||
                           with_accelerators.contains(UnitOf(device).process)))
        continue;
      devices_.push_back({.activity = &device});
    }
    for (const profile::Step* step : steps) AddStep(*step);
    FindHostPieces(steps);
    FindRankWaits(steps);
  }

  std::vector<StepAccount> Take() && {
    for (Device& device : devices_) {
      for (size_t s = 0; s < device.windows.size(); ++s) {
        accounts_[s].devices.push_back(AccountFor(device, s));
      }
    }
    return std::move(accounts_);
  }

 private:
  static constexpr uint8_t kUnknown = 255;

  struct Device {
    const DeviceActivity* activity = nullptr;
    std::vector<Intervals> windows;  // by step
    std::vector<Intervals> idle;     // by step
    int64_t longest_run = 0;
    Intervals waits = {};  // for late ranks
    std::vector<std::pair<Interval, profile::ProcessId>> late = {};
  };

  const LaneUnit& UnitOf(const DeviceActivity& device) const {
    return activities_.units()[device.unit];
  }
  int64_t Ticks(int64_t micros) const {
    return util::SaturatingMul(micros, profile_.ticks_per_micro());
  }

  // A host whose calls nest has no runs: its threads say what it did.
  bool IsNestedHost(const Device& device) const {
    return !device.activity->accelerator && !HasRuns(*device.activity);
  }
  bool HasRuns(const DeviceActivity& device) const {
    const profile::LaneTable& lanes = profile_.lanes();
    for (profile::LaneId id = 0; id < lanes.size(); ++id) {
      if (activities_.unit_of(id) == device.unit && !lanes[id].calls_nest &&
          lanes[id].repeats == profile::kNone &&
          (lanes[id].kind == profile::LaneKind::kCompute ||
           lanes[id].kind == profile::LaneKind::kLaunches)) {
        return true;
      }
    }
    return false;
  }

  void AddStep(const profile::Step& step) {
    accounts_.push_back({.step = &step, .devices = {}});
    for (Device& device : devices_) {
      Intervals window = StepWindow(activities_, step, device.activity->unit);
      device.idle.push_back(IsNestedHost(device)
                                ? window
                                : Subtract(window, device.activity->busy));
      device.windows.push_back(std::move(window));
    }
  }

  void FindHostPieces(std::span<const profile::Step* const> steps) {
    std::map<profile::ProcessId, UnionOfMany> wanted;
    for (const Device& device : devices_) {
      if (!device.activity->accelerator && !IsNestedHost(device)) continue;
      for (const Intervals& idle : device.idle) {
        wanted[UnitOf(*device.activity).process].Add(idle);
      }
    }
    HostPieces::Wanted times;
    for (auto& [process, all] : wanted) {
      times[process] = std::move(all).Take();
    }
    pieces_.emplace(activities_, steps, times);
  }

  void FindRankWaits(std::span<const profile::Step* const> steps) {
    if (profile_.lanes().num_processes() < 2) return;
    const std::set<const profile::Step*> asked(steps.begin(), steps.end());
    // The parts of the ranks in a step may be several steps of the profile.
    std::vector<std::vector<size_t>> groups =
        GroupSameSteps(profile_, PlacesOfSteps(profile_, -1));
    std::erase_if(groups, [&](const std::vector<size_t>& group) {
      return std::ranges::none_of(group, [&](size_t place) {
        return asked.contains(profile_.steps()[place].get());
      });
    });
    std::vector<size_t> places;
    for (const std::vector<size_t>& group : groups) {
      places.insert(places.end(), group.begin(), group.end());
    }
    std::sort(places.begin(), places.end());
    const ClockOffsets clocks = EstimateClockOffsets(profile_, places);
    const std::vector<uint32_t> ranks = RanksOfLanes(profile_);
    for (const std::vector<size_t>& group : groups) {
      for (const RankWait& wait :
           timeline::FindRankWaits(profile_, group, ranks, clocks)) {
        if (wait.time.length() <= 0 || wait.late == wait.process) continue;
        for (Device& device : devices_) {
          if (device.activity->unit != activities_.unit_of(wait.lane)) continue;
          device.late.emplace_back(wait.time, wait.late);
        }
      }
    }
    for (Device& device : devices_) {
      std::sort(device.late.begin(), device.late.end(),
                [](const auto& a, const auto& b) {
                  return a.first.start < b.first.start;
                });
    }
  }

  DeviceAccount AccountFor(Device& device, size_t step) {
    DeviceAccount account;
    account.unit = device.activity->unit;
    account.accelerator = device.activity->accelerator;
    account.wall = Length(device.windows[step]);
    PartSums sums;
    if (!IsNestedHost(device)) {
      const Intervals free =
          AddRuns(device, *accounts_[step].step, device.windows[step], sums);
      // Some threads of a host may have calls that nest, which are no runs.
      sums.Add(Part::kOtherCompute, "",
               Length(free) - Length(device.idle[step]));
    }
    if (device.activity->accelerator || IsNestedHost(device)) {
      AddIdle(device, device.idle[step], sums);
    } else {
      sums.Add(Part::kNotRecorded, "", Length(device.idle[step]));
    }
    std::move(sums).Finish(account);
    return account;
  }

  // ---- The work of a device.

  static int PriorityOf(RunKind kind) {
    return kind == RunKind::kCompute ? 0 : kind == RunKind::kCopy ? 2 : 1;
  }

  // Adds the work in the window: first computation, then communication, then
  // copies, each where nothing before it in this order ran. Returns the time
  // without runs.
  Intervals AddRuns(Device& device, const profile::Step& step,
                    const Intervals& window, PartSums& sums) {
    // Runs of hosts are only in the activity of their step.
    std::shared_ptr<const StepActivity> of_step;
    const DeviceActivity* activity = device.activity;
    if (activity->runs.empty()) {
      of_step = activities_.Of(step);
      activity = of_step->Find(device.activity->unit);
      if (activity == nullptr) return window;
    }
    if (device.longest_run == 0 || of_step != nullptr) {
      for (const DeviceRun& run : activity->runs) {
        device.longest_run = std::max(device.longest_run, run.length());
      }
    }
    Intervals free = window;
    for (int priority = 0; priority < 3; ++priority) {
      Intervals covered;
      size_t next = 0;  // in `free`
      int64_t now = 0;
      for (auto run = FirstRun(*activity, device.longest_run, window);
           run != activity->runs.end() && !window.empty() &&
           run->start < window.back().end;
           ++run) {
        if (PriorityOf(run->kind) != priority || run->end <= now) continue;
        const int64_t start = std::max(now, run->start);
        now = run->end;
        while (next < free.size() && free[next].end <= start) ++next;
        int64_t time = 0;
        for (size_t i = next; i < free.size() && free[i].start < run->end;
             ++i) {
          const Interval part = {std::max(start, free[i].start),
                                 std::min(run->end, free[i].end)};
          if (part.length() <= 0) continue;
          AddInterval(covered, part.start, part.end);
          time += part.length();
          if (priority == 1) time -= AddLate(device, part, sums);
        }
        if (time > 0) sums.Add(PartOfRun(*run), activities_.Op(*run), time);
      }
      free = Subtract(free, covered);
    }
    return free;
  }

  static std::vector<DeviceRun>::const_iterator FirstRun(
      const DeviceActivity& activity, int64_t longest,
      const Intervals& window) {
    if (window.empty()) return activity.runs.end();
    return std::lower_bound(
        activity.runs.begin(), activity.runs.end(),
        util::WrapSub(window.front().start, longest),
        [](const DeviceRun& run, int64_t start) { return run.start < start; });
  }

  // Adds the part of a time of communication in which the device waited for a
  // late rank, and returns its length.
  int64_t AddLate(const Device& device, const Interval& time, PartSums& sums) {
    int64_t late = 0, now = time.start;
    auto wait = std::partition_point(
        device.late.begin(), device.late.end(),
        [&](const auto& of) { return of.first.end <= time.start; });
    for (; wait != device.late.end() && wait->first.start < time.end; ++wait) {
      const int64_t start = std::max(now, wait->first.start);
      const int64_t end = std::min(time.end, wait->first.end);
      if (start >= end) continue;
      sums.Add(Part::kLateRank, NameOfRank(wait->second), end - start);
      late += end - start;
      now = end;
    }
    return late;
  }

  std::string_view NameOfRank(profile::ProcessId process) {
    const auto [it, is_new] = rank_names_.try_emplace(process);
    if (is_new) {
      // A task of TensorFlow has its full name in findings.
      const profile::Process& of = profile_.lanes().process(process);
      it->second =
          of.job.empty() ? ProcessName(profile_.lanes(), process) : of.name;
    }
    return it->second;
  }

  Part PartOfRun(const DeviceRun& run) {
    if (run.kind == RunKind::kCommunication) return Part::kCommunication;
    if (run.kind == RunKind::kCopy) {
      return WaitsForCopy(activities_.Op(run)) ? Part::kOffload : Part::kCopies;
    }
    if (run.node == profile::kNone) return PartOfWork(activities_.Op(run));
    uint8_t& known = node_part_[run.node];
    if (known == kUnknown) {
      Part part = PartOfWork(activities_.Op(run));
      if (part == Part::kOtherCompute && run.launch == profile::kNone) {
        // The name may be that of a kernel.
        const std::string_view name = activities_.NodeName(run);
        part = PartOfWork(name.substr(name.rfind('/') + 1));
      }
      known = static_cast<uint8_t>(part);
    }
    const auto part = static_cast<Part>(known);
    if (part != Part::kOtherCompute ||
        profile_.lanes()[run.lane].kind != profile::LaneKind::kKernels) {
      return part;
    }
    // The kernels of one operation may be of several classes.
    return PartOf(KernelClassOf(activities_.Name(run)));
  }

  // The part of an operation: an operation on a host may read input.
  static Part PartOfWork(std::string_view op) {
    const KernelClass of = KernelClassOf(op);
    if (of != KernelClass::kOther) return PartOf(of);
    return HostCallOf(op) == HostCall::kInput ? Part::kInput
                                              : Part::kOtherCompute;
  }

  // ---- Idle time.

  // The waits of the host at the ends of which the device had nothing to do.
  struct DrainingWaits {
    const HostWait* last = nullptr;
    const HostWait* longest = nullptr;
    int64_t ticks = 0;

    void Add(const HostWait* wait) {
      if (wait == nullptr || wait == last) return;
      last = wait;
      ticks = util::SaturatingAdd(ticks, wait->time.length());
      if (longest == nullptr || wait->time.length() > longest->time.length()) {
        longest = wait;
      }
    }
  };

  // Adds idle time. If the host waited for longer than launches were late in
  // short gaps, it could have launched the work earlier: the waits are the
  // cause.
  void AddIdle(const Device& device, const Intervals& idle, PartSums& sums) {
    FindOthers(device);
    Intervals all_short, all_long;
    for (const Interval& gap : idle) {
      (gap.length() < Ticks(kLongOperator) ? all_short : all_long)
          .push_back(gap);
    }
    DrainingWaits waits;
    PartSums of_short;
    AddGaps(device, all_short, waits, of_short);
    AddGaps(device, all_long, waits, sums);
    if (waits.longest != nullptr &&
        waits.ticks > of_short.Of(Part::kLaunches)) {
      of_short.Move(Part::kLaunches, Part::kSynchronization,
                    CallText(waits.longest->name, waits.longest->outer));
    }
    sums.Add(of_short);
  }

  // Finds when other accelerators of the process are busy.
  void FindOthers(const Device& device) {
    UnionOfMany busy;
    for (const Device& other : devices_) {
      if (other.activity != device.activity && other.activity->accelerator &&
          UnitOf(*other.activity).process == UnitOf(*device.activity).process) {
        busy.Add(other.activity->busy);
      }
    }
    others_busy_ = std::move(busy).Take();
  }

  void AddGaps(const Device& device, const Intervals& idle,
               DrainingWaits& waits, PartSums& sums) {
    const std::span<const HostThread> threads =
        pieces_->OfProcess(UnitOf(*device.activity).process);
    const std::vector<DeviceRun>& runs = device.activity->runs;
    auto run = runs.begin();
    for (const Interval& gap : idle) {
      if (!device.activity->accelerator) {
        AddHostTime(gap, threads, /*first=*/nullptr, /*drained=*/nullptr,
                    /*is_host=*/true, sums);
        continue;
      }
      run = std::partition_point(run, runs.end(), [&](const DeviceRun& of) {
        return of.start < gap.end;
      });
      const DeviceLaunch* launch =
          run == runs.end() || run->launch == profile::kNone
              ? nullptr
              : &device.activity->launches[run->launch];
      AddGap(gap, launch,
             run == runs.end() ? std::string_view() : activities_.Op(*run),
             threads, waits, sums);
    }
  }

  void AddGap(const Interval& gap, const DeviceLaunch* launch,
              std::string_view next_op, std::span<const HostThread> threads,
              DrainingWaits& waits, PartSums& sums) {
    int64_t late_from = gap.end;
    const HostThread* first = nullptr;
    if (launch != nullptr) {
      late_from = std::clamp(launch->end, gap.start, gap.end);
      const profile::LaneId lane =
          profile_.steps()[launch->step]->LaneOf(launch->record);
      for (const HostThread& thread : threads) {
        if (thread.thread == profile_.lanes()[lane].thread) first = &thread;
      }
      AddQueued({late_from, gap.end}, launch->end <= gap.start, next_op, first,
                sums);
    }
    if (late_from <= gap.start) return;
    // Without a launch, the thread with the most recorded time launches. A wait
    // of another thread is for this device if it ends when the device is done.
    const HostThread* launcher =
        first != nullptr || threads.empty() ? first : &threads.front();
    const HostWait* drained =
        launcher == nullptr ? nullptr : WaitAt(*launcher, gap.start);
    for (const HostThread& thread : threads) {
      if (drained != nullptr) break;
      const HostWait* wait = WaitAt(thread, gap.start);
      if (wait != nullptr && wait->time.end < late_from &&
          wait->time.end - gap.start < Ticks(kLongSilence)) {
        drained = wait;
      }
    }
    waits.Add(drained);
    AddHostTime({gap.start, late_from}, threads, first, drained,
                /*is_host=*/false, sums);
  }

  // Adds the time between the launch of a run and the run. If the host is in a
  // copy that blocks for most of a long time, nothing else can be launched, not
  // even what the run waits for.
  void AddQueued(const Interval& time, bool was_queued, std::string_view op,
                 const HostThread* thread, PartSums& sums) {
    if (time.length() <= Ticks(kLaunchLatency)) {
      sums.Add(was_queued ? Part::kQueue : Part::kLaunches, op, time.length());
      return;
    }
    Intervals rest = {time};
    int64_t copying = 0;
    const HostPiece* copy = nullptr;
    if (thread != nullptr) {
      TakePieces(
          *thread, rest, [](const HostPiece& piece) { return piece.copies; },
          [&](const HostPiece& piece, int64_t length) {
            copying += length;
            copy = &piece;
          });
    }
    if (copying < time.length() / 2) {
      sums.Add(Part::kQueue, op, time.length());
    } else {
      sums.Add(Part::kSynchronization, CallText(copy->name, copy->outer),
               time.length());
    }
  }

  // The wait of a thread that began before `time` and ended at it or later.
  static const HostWait* WaitAt(const HostThread& thread, int64_t time) {
    const auto wait = std::partition_point(
        thread.waits.begin(), thread.waits.end(),
        [&](const HostWait& of) { return of.time.end < time; });
    return wait != thread.waits.end() && wait->time.start < time ? &*wait
                                                                 : nullptr;
  }

  // "aten::item in train.py:12:step": a call, and what is around it.
  std::string_view CallText(profile::StringId name, profile::StringId outer) {
    const profile::StringPool& strings = profile_.strings();
    if (outer == profile::kNone || outer == name) return strings.Get(name);
    const auto [it, is_new] = call_texts_.try_emplace({name, outer});
    if (is_new) {
      it->second =
          fmt::format("{} in {}", strings.Get(name), strings.Get(outer));
    }
    return it->second;
  }

  // Adds idle time by what the threads did: `first` comes before the others.
  void AddHostTime(const Interval& time, std::span<const HostThread> threads,
                   const HostThread* first, const HostWait* drained,
                   bool is_host, PartSums& sums) {
    Intervals rest = {time};
    if (first != nullptr) AddThread(*first, drained, is_host, rest, sums);
    for (const HostThread& thread : threads) {
      if (rest.empty()) return;
      if (&thread != first) AddThread(thread, drained, is_host, rest, sums);
    }
    // While another device works, the host waits for that one.
    Intervals beside = Intersect(rest, others_busy_);
    rest = Subtract(rest, beside);
    if (first != nullptr) {
      AddWaits(*first, Part::kSynchronization, rest, sums);
      AddWaits(*first, Part::kQueue, beside, sums);
    }
    for (const HostThread& thread : threads) {
      if (rest.empty() && beside.empty()) return;
      if (&thread == first) continue;
      AddWaits(thread, Part::kSynchronization, rest, sums);
      AddWaits(thread, Part::kQueue, beside, sums);
    }
    if (!beside.empty()) rest = Union(rest, beside);
    for (const Interval& of : rest) {
      const bool is_short =
          !is_host && !threads.empty() && of.length() < Ticks(kLongSilence);
      if (is_short && drained != nullptr) {
        sums.Add(Part::kSynchronization,
                 CallText(drained->name, drained->outer), of.length());
      } else {
        sums.Add(is_short ? Part::kLaunches : Part::kNotRecorded, "",
                 of.length());
      }
    }
  }

  // Calls `use` for each piece of a thread in `rest` that `accept` accepts, and
  // removes it from `rest`.
  template <typename Accept, typename Use>
  static void TakePieces(const HostThread& thread, Intervals& rest,
                         Accept accept, Use use) {
    Intervals taken;
    for (const Interval& of : rest) {
      auto piece = std::partition_point(
          thread.pieces.begin(), thread.pieces.end(),
          [&](const HostPiece& p) { return p.end <= of.start; });
      for (; piece != thread.pieces.end() && piece->start < of.end; ++piece) {
        if (!accept(*piece)) continue;
        const Interval part = {std::max(of.start, piece->start),
                               std::min(of.end, piece->end)};
        AddInterval(taken, part.start, part.end);
        use(*piece, part.length());
      }
    }
    if (!taken.empty()) rest = Subtract(rest, taken);
  }

  void AddThread(const HostThread& thread, const HostWait* drained,
                 bool is_host, Intervals& rest, PartSums& sums) {
    TakePieces(
        thread, rest,
        [&](const HostPiece& piece) {
          return piece.call != HostCall::kWait ||
                 (is_host && activities_.rules().IsCommunication(
                                 profile_.strings().Get(piece.name)));
        },
        [&](const HostPiece& piece, int64_t time) {
          const Part part = is_host ? PartOfHost(piece) : PartOfPiece(piece);
          if (drained != nullptr && part == Part::kLaunches) {
            sums.Add(Part::kSynchronization,
                     CallText(drained->name, drained->outer), time);
          } else if (part == Part::kLaunches) {
            sums.Add(part,
                     profile_.strings().Get(piece.outer == profile::kNone
                                                ? piece.name
                                                : piece.outer),
                     time);
          } else {
            sums.Add(part, CallText(piece.name, piece.outer), time);
          }
        });
  }

  void AddWaits(const HostThread& thread, Part part, Intervals& rest,
                PartSums& sums) {
    TakePieces(
        thread, rest, [](const HostPiece&) { return true; },
        [&](const HostPiece& piece, int64_t time) {
          sums.Add(part, CallText(piece.name, piece.outer), time);
        });
  }

  // What the host did while the device had nothing to do.
  Part PartOfPiece(const HostPiece& piece) const {
    const int64_t length = piece.length();
    switch (piece.call) {
      case HostCall::kInput:
        return Part::kInput;
      case HostCall::kCompilation:
        return Part::kCompilation;
      case HostCall::kFirstUse:
        return Part::kFirstUse;
      case HostCall::kProfiler:
        return Part::kProfiler;
      case HostCall::kAllocation:
        return length >= Ticks(kLongAllocation) ? Part::kFirstUse
                                                : Part::kAllocation;
      case HostCall::kLaunch:
        return length >= Ticks(kLongLaunch) ? Part::kFirstUse : Part::kLaunches;
      case HostCall::kWait:
      case HostCall::kOther:
        break;
    }
    if (piece.python) {
      return length >= Ticks(piece.library ? kLongLibrary : kLongProgram)
                 ? Part::kPython
                 : Part::kLaunches;
    }
    if (length < Ticks(kLongOperator)) return Part::kLaunches;
    // A call of the runtime that is so slow sets the device up.
    const std::string_view name = profile_.strings().Get(piece.name);
    return length >= Ticks(kLongAllocation) &&
                   (name.starts_with("cuda") || name.starts_with("hip"))
               ? Part::kFirstUse
               : Part::kHostWork;
  }

  // What a host without accelerators did.
  Part PartOfHost(const HostPiece& piece) {
    const std::string_view name = profile_.strings().Get(piece.name);
    if (activities_.rules().IsCommunication(name)) return Part::kCommunication;
    if (piece.call != HostCall::kOther) {
      const Part part = PartOfPiece(piece);
      return part == Part::kLaunches ? Part::kOtherCompute : part;
    }
    if (piece.python) return Part::kPython;
    return PartOf(KernelClassOf(name));
  }

  views::Views& views_;
  const profile::Profile& profile_;
  Activities& activities_;
  const std::shared_ptr<const StepActivity> everything_;
  std::vector<uint8_t> node_part_;
  std::vector<Device> devices_;
  std::vector<StepAccount> accounts_;
  std::optional<HostPieces> pieces_;
  // When the other accelerators of the process of the current device work.
  Intervals others_busy_;
  std::map<profile::ProcessId, std::string> rank_names_;
  std::map<std::pair<profile::StringId, profile::StringId>, std::string>
      call_texts_;
};

}  // namespace

const PartInfo& InfoOf(Part part) { return kParts[static_cast<size_t>(part)]; }

std::span<const PartInfo> AllParts() { return kParts; }

int64_t DeviceAccount::Of(PartKind kind) const {
  int64_t ticks = 0;
  for (const PartInfo& info : kParts) {
    if (info.kind == kind) {
      ticks = util::SaturatingAdd(ticks, (*this)[info.part].ticks);
    }
  }
  return ticks;
}

const DeviceAccount* StepAccount::Find(uint32_t unit) const {
  for (const DeviceAccount& device : devices) {
    if (device.unit == unit) return &device;
  }
  return nullptr;
}

StepAccount AccountOf(views::Views& views, const profile::Step& step) {
  const profile::Step* one[] = {&step};
  return std::move(AccountsOf(views, one).front());
}

std::vector<StepAccount> AccountsOf(
    views::Views& views, std::span<const profile::Step* const> steps) {
  return Accountant(views, steps).Take();
}

std::optional<GrownPart> LargestGrowth(const StepAccount& account,
                                       const StepAccount& usual) {
  std::optional<GrownPart> largest;
  for (const DeviceAccount& device : account.devices) {
    const DeviceAccount* before = usual.Find(device.unit);
    if (before == nullptr) continue;
    for (const PartInfo& info : kParts) {
      const int64_t more =
          util::WrapSub(device[info.part].ticks, (*before)[info.part].ticks);
      if (more <= (largest ? largest->more : 0)) continue;
      largest = {
          .part = info.part, .unit = device.unit, .more = more, .detail = ""};
    }
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
    for (const PartInfo& info : kParts) {
      parts.Add((*account)[info.part], info.part);
    }
  }
  std::move(parts).Finish(sum);
  return sum;
}

}  // namespace tfprof::timeline
