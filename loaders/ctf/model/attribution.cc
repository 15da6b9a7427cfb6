#include "loaders/ctf/model/attribution.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "util/arithmetic.h"

namespace tfprof::ctf {
namespace {

constexpr int64_t kNoTime = Activity::kNoTime;
// A queued time inside more calls than this is ambiguous.
constexpr size_t kMaxCandidates = 64;

class Attributor {
 public:
  explicit Attributor(TraceFacts& facts) : facts_(facts) {}

  Attribution Run() {
    JoinCommands();
    std::set<std::pair<uint32_t, profile::StringId>> devices;
    for (const Activity& activity : facts_.activities) {
      if (!IsOnHost(activity)) {
        devices.insert({ProcessOf(activity), activity.device});
      }
    }
    for (const auto& [process, device] : devices) MoveToHost(process, device);
    // Built after the commands are joined, because it refers to ops by index.
    const OpenOps open(facts_);
    open_ = &open;
    result_.links.resize(facts_.activities.size());
    ByAnnotation();
    ByCorrelation();
    for (uint32_t p = 0; p < facts_.processes.size(); ++p) ByQueuedTime(p);
    ByOrder();
    for (size_t i = 0; i < facts_.activities.size(); ++i) {
      if (facts_.activities[i].work != DeviceWork::kKernel) continue;
      const KernelLink& link = result_.links[i];
      ++result_.kernels_by_rule[static_cast<size_t>(link.rule)];
      if (link.launch != kNoTime && IsOnHost(facts_.activities[i]) &&
          facts_.activities[i].begin < link.launch) {
        ++result_.kernels_before_launch;
      }
    }
    return std::move(result_);
  }

 private:
  static bool IsOnHost(const Activity& activity) {
    return activity.clock != DeviceClock::kUnknown;
  }
  uint32_t ProcessOf(const Activity& activity) const {
    return facts_.threads[activity.thread].process_index;
  }

  // A command and its activity have the same device times.
  void JoinCommands() {
    using Key = std::tuple<int64_t, int64_t, int64_t, int64_t>;
    std::map<Key, uint32_t> by_times;
    for (uint32_t i = 0; i < facts_.activities.size(); ++i) {
      const Activity& a = facts_.activities[i];
      if (a.clock != DeviceClock::kUnknown) continue;
      by_times.try_emplace(
          {facts_.threads[a.thread].process, a.queued, a.begin, a.end}, i);
    }
    for (const Activity& command : facts_.commands) {
      if (command.begin == kNoTime || command.end < command.begin) continue;
      const auto it =
          by_times.find({facts_.threads[command.thread].process, command.queued,
                         command.begin, command.end});
      if (it == by_times.end()) {
        facts_.activities.push_back(command);
        continue;
      }
      Activity& activity = facts_.activities[it->second];
      activity.launch_thread = command.launch_thread;
      activity.entry = command.entry;
      activity.exit = command.exit;
      activity.queue = command.queue;
      activity.device = command.device;
      activity.bytes = command.bytes;
    }
  }

  void MoveToHost(uint32_t process, profile::StringId device) {
    std::vector<int64_t> queued, ends, callbacks;
    std::vector<int64_t> told_queued;
    std::vector<HostCall> calls, told_calls;
    std::vector<Activity*> moved;
    for (Activity& activity : facts_.activities) {
      if (IsOnHost(activity) || ProcessOf(activity) != process ||
          activity.device != device) {
        continue;
      }
      moved.push_back(&activity);
      if (activity.queued == kNoTime) continue;
      queued.push_back(activity.queued);
      ends.push_back(activity.end);
      if (activity.entry != kNoTime && activity.exit != kNoTime) {
        told_queued.push_back(activity.queued);
        told_calls.push_back({activity.entry, activity.exit});
      }
    }
    if (moved.empty()) return;
    for (const ClockPair& pair : facts_.clock_pairs) {
      if (pair.process != process || pair.device != device) continue;
      told_queued.push_back(pair.device_time);
      told_calls.push_back({pair.host_before, pair.host_after});
    }
    for (const Interval& call : facts_.calls) {
      if (facts_.threads[call.thread].process_index == process &&
          IsEnqueueCall(facts_.names.Get(call.name))) {
        calls.push_back({call.begin, call.end});
      }
    }
    // With several processes, the process of a callback is unknown.
    if (facts_.processes.size() == 1) callbacks = facts_.callbacks;
    DeviceClockOf clock = {process, device, {}, moved.size()};
    clock.bounds = BoundDeviceClock(std::move(queued), std::move(ends),
                                    std::move(calls), std::move(callbacks),
                                    LimitsOfCalls(told_queued, told_calls));
    result_.clocks.push_back(clock);
    if (!clock.bounds.known()) return;
    int64_t& slack = slack_.try_emplace(process, 0).first->second;
    slack = std::max(slack, clock.bounds.slack);
    for (Activity* activity : moved) {
      for (int64_t* time : {&activity->queued, &activity->submitted,
                            &activity->begin, &activity->end}) {
        if (*time == kNoTime) continue;
        *time = static_cast<int64_t>(
            static_cast<uint64_t>(*time) +
            static_cast<uint64_t>(clock.bounds.ShiftAt(*time)));
      }
      activity->end = std::max(activity->end, activity->begin);
      activity->clock = DeviceClock::kNanos;
      moved_.insert(static_cast<uint32_t>(activity - facts_.activities.data()));
    }
  }

  void ByAnnotation() {
    std::set<profile::StringId> ops;
    for (const Interval& op : facts_.ops) ops.insert(op.name);
    for (const Interval& op : facts_.async_ops) ops.insert(op.name);
    for (size_t i = 0; i < facts_.activities.size(); ++i) {
      const Activity& activity = facts_.activities[i];
      if (activity.work != DeviceWork::kKernel ||
          !ops.contains(activity.annotation)) {
        continue;
      }
      result_.links[i] = {LinkRule::kAnnotation, profile::kNone,
                          activity.annotation, kNoTime};
    }
  }

  void Decide(size_t activity, LinkRule rule, ThreadId thread, int64_t time) {
    KernelLink& link = result_.links[activity];
    link.launch = time;
    link.op = open_->At(thread, time);
    link.rule = link.op == profile::kNone ? LinkRule::kOutsideOps : rule;
    if (link.op != profile::kNone) link.name = facts_.ops[link.op].name;
  }
  bool IsOpen(size_t i) const {
    return facts_.activities[i].work == DeviceWork::kKernel &&
           result_.links[i].rule == LinkRule::kAmbiguous;
  }

  void ByCorrelation() {
    std::map<std::pair<uint32_t, int64_t>, ThreadId> threads;
    for (ThreadId t = 0; t < facts_.threads.size(); ++t) {
      threads.try_emplace(
          {facts_.threads[t].process_index, facts_.threads[t].thread}, t);
    }
    for (size_t i = 0; i < facts_.activities.size(); ++i) {
      const Activity& activity = facts_.activities[i];
      if (!IsOpen(i) || activity.launch_thread < 0 ||
          activity.entry == kNoTime) {
        continue;
      }
      const auto it =
          threads.find({ProcessOf(activity), activity.launch_thread});
      if (it == threads.end()) continue;
      Decide(i, LinkRule::kCorrelation, it->second, activity.entry);
    }
  }

  // Returns the calls of each process that launch kernels, by their begins.
  std::vector<const Interval*> LaunchesOf(uint32_t process) const {
    std::vector<const Interval*> launches;
    for (const Interval& call : facts_.calls) {
      if (facts_.threads[call.thread].process_index == process &&
          IsKernelLaunchCall(facts_.names.Get(call.name))) {
        launches.push_back(&call);
      }
    }
    std::sort(launches.begin(), launches.end(),
              [](const Interval* a, const Interval* b) {
                return a->begin < b->begin;
              });
    return launches;
  }

  void ByQueuedTime(uint32_t process) {
    const auto of_process = slack_.find(process);
    if (of_process == slack_.end()) return;
    const int64_t slack = util::SaturatingAdd(of_process->second, 1);
    const std::vector<const Interval*> calls = LaunchesOf(process);
    // The latest end of the calls up to each one, so that a search can stop
    // early.
    std::vector<int64_t> latest;
    for (const Interval* call : calls) {
      latest.push_back(latest.empty() ? call->end
                                      : std::max(latest.back(), call->end));
    }
    struct Candidates {
      size_t activity;
      std::vector<uint32_t> calls;
    };
    std::vector<Candidates> undecided;
    std::vector<bool> taken(calls.size(), false);
    uint64_t kernels = 0;
    for (size_t i = 0; i < facts_.activities.size(); ++i) {
      const Activity& activity = facts_.activities[i];
      if (activity.work != DeviceWork::kKernel ||
          ProcessOf(activity) != process ||
          !moved_.contains(static_cast<uint32_t>(i))) {
        continue;
      }
      ++kernels;
      if (activity.queued == kNoTime) continue;
      Candidates found = {i, {}};
      auto it = std::partition_point(
          calls.begin(), calls.end(), [&](const Interval* call) {
            return call->begin <= activity.queued + slack;
          });
      while (it != calls.begin() && found.calls.size() < kMaxCandidates) {
        --it;
        const auto at = static_cast<size_t>(it - calls.begin());
        if (latest[at] < activity.queued - slack) break;
        if ((*it)->end >= activity.queued - slack) {
          found.calls.push_back(static_cast<uint32_t>(at));
        }
      }
      if (found.calls.size() == 1) {
        const Interval& call = *calls[found.calls[0]];
        taken[found.calls[0]] = true;
        if (IsOpen(i)) {
          Decide(i, LinkRule::kQueuedTime, call.thread, call.begin);
        }
      } else if (found.calls.size() < kMaxCandidates) {
        undecided.push_back(std::move(found));
      }
    }
    // Removes the calls that belong to other kernels. If one call is left, it
    // is the call of this kernel.
    bool changed = kernels == calls.size();
    while (changed) {
      changed = false;
      for (Candidates& one : undecided) {
        if (one.calls.size() < 2) continue;
        std::erase_if(one.calls, [&](uint32_t call) { return taken[call]; });
        if (one.calls.size() != 1) continue;
        const Interval& call = *calls[one.calls[0]];
        taken[one.calls[0]] = true;
        changed = true;
        if (IsOpen(one.activity)) {
          Decide(one.activity, LinkRule::kElimination, call.thread, call.begin);
        }
      }
    }
    for (const Candidates& one : undecided) {
      if (one.calls.size() < 2 || !IsOpen(one.activity)) continue;
      profile::StringId name = profile::kNone;
      bool same = true;
      for (const uint32_t c : one.calls) {
        const uint32_t op = open_->At(calls[c]->thread, calls[c]->begin);
        const profile::StringId own =
            op == profile::kNone ? profile::kNone : facts_.ops[op].name;
        if (c == one.calls.front()) name = own;
        same &= own == name && own != profile::kNone;
      }
      if (!same) continue;
      const Interval& call = *calls[one.calls.back()];
      Decide(one.activity, LinkRule::kSameOp, call.thread, call.begin);
    }
  }

  // For kernels of which only the order is known, on their device and in their
  // launches.
  void ByOrder() {
    std::map<std::tuple<uint32_t, profile::StringId, profile::StringId>,
             std::vector<size_t>>
        kernels;
    for (size_t i = 0; i < facts_.activities.size(); ++i) {
      const Activity& activity = facts_.activities[i];
      if (activity.work != DeviceWork::kKernel || !IsOnHost(activity) ||
          moved_.contains(static_cast<uint32_t>(i))) {
        continue;
      }
      kernels[{ProcessOf(activity), activity.provider, activity.queue}]
          .push_back(i);
    }
    for (auto& [key, of_queue] : kernels) {
      const auto& [process, provider, queue] = key;
      if (std::none_of(of_queue.begin(), of_queue.end(),
                       [&](size_t i) { return IsOpen(i); })) {
        continue;
      }
      std::vector<const Interval*> launches;
      if (queue != profile::kNone) {
        for (const Interval& launch : facts_.launches) {
          if (launch.place == queue &&
              facts_.threads[launch.thread].process_index == process) {
            launches.push_back(&launch);
          }
        }
      } else {
        launches = LaunchesOf(process);
        // Two threads may launch in another order than the device executes.
        for (const Interval* launch : launches) {
          if (launch->thread != launches.front()->thread) {
            launches.clear();
            break;
          }
        }
      }
      if (launches.size() != of_queue.size()) continue;
      std::stable_sort(
          of_queue.begin(), of_queue.end(), [&](size_t a, size_t b) {
            return facts_.activities[a].begin < facts_.activities[b].begin;
          });
      bool agrees = true;
      for (size_t k = 0; k < launches.size() && queue != profile::kNone; ++k) {
        agrees &= launches[k]->name == facts_.activities[of_queue[k]].name;
      }
      if (!agrees) continue;
      for (size_t k = 0; k < launches.size(); ++k) {
        if (!IsOpen(of_queue[k])) continue;
        Decide(of_queue[k], LinkRule::kQueueOrder, launches[k]->thread,
               launches[k]->begin);
      }
    }
  }

  TraceFacts& facts_;
  Attribution result_;
  const OpenOps* open_ = nullptr;
  // The largest error of device times, by process.
  std::map<uint32_t, int64_t> slack_;
  std::set<uint32_t> moved_;  // indexes of activities
};

}  // namespace

std::string_view RuleName(LinkRule rule) {
  switch (rule) {
    case LinkRule::kAnnotation:
      return "annotation";
    case LinkRule::kCorrelation:
      return "correlation";
    case LinkRule::kQueuedTime:
      return "queued time";
    case LinkRule::kElimination:
      return "elimination";
    case LinkRule::kSameOp:
      return "same op";
    case LinkRule::kQueueOrder:
      return "queue order";
    case LinkRule::kOutsideOps:
      return "outside of ops";
    case LinkRule::kAmbiguous:
      return "ambiguous";
  }
  return "";
}

Attribution Attribute(TraceFacts& facts) { return Attributor(facts).Run(); }

OpenOps::OpenOps(const TraceFacts& facts) : threads_(facts.threads.size()) {
  for (uint32_t i = 0; i < facts.ops.size(); ++i) {
    const Interval& op = facts.ops[i];
    threads_[op.thread].push_back({op.begin, op.end, i, profile::kNone});
  }
  for (std::vector<Entry>& entries : threads_) {
    // The outer interval comes first.
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) {
                return std::tuple(a.begin, b.end, a.op) <
                       std::tuple(b.begin, a.end, b.op);
              });
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < entries.size(); ++i) {
      while (!open.empty() && entries[open.back()].end < entries[i].end) {
        open.pop_back();
      }
      if (!open.empty()) entries[i].parent = open.back();
      open.push_back(i);
    }
  }
}

uint32_t OpenOps::At(ThreadId thread, int64_t time) const {
  if (thread >= threads_.size()) return profile::kNone;
  const std::vector<Entry>& entries = threads_[thread];
  const auto next = std::partition_point(
      entries.begin(), entries.end(),
      [&](const Entry& entry) { return entry.begin <= time; });
  if (next == entries.begin()) return profile::kNone;
  auto at = static_cast<uint32_t>(next - entries.begin() - 1);
  while (at != profile::kNone && entries[at].end < time)
    at = entries[at].parent;
  return at == profile::kNone ? profile::kNone : entries[at].op;
}

}  // namespace tfprof::ctf
