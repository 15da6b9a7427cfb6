// Finds threads of a host that lose time: by a lock that another thread holds,
// by work that is not shared out evenly, or by few calls of a function that are
// far slower than its others.
//
// It judges processes without accelerators in recordings of other programs than
// PyTorch, JAX and TensorFlow, whose threads have accounts of their own. A
// thread is idle in a wait, and where nothing is recorded. A thread that waits
// for a queue, a condition or a request may have nothing to do: only a wait for
// a lock is always a loss.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "timeline/account/work_classes.h"
#include "util/arithmetic.h"
#include "util/median.h"
#include "util/text/ascii.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace threads {

constexpr Rule kRules[] = {
    {"lock_wait",
     "A thread waits for locks for more than the threshold of the time.",
     "share of the time", "lock_wait"},
    {"uneven_threads",
     "One of several threads with the same name but for a number works most of "
     "the time, and this many times as long as the median of the others.",
     "ratio to the median", "uneven_threads"},
    {"slow_calls",
     "Few calls of a function take many times as long as its others, and this "
     "share of all work.",
     "share of the work", "slow_calls", Rule::Says::kReason},
};
constexpr CheckerOption kOptions[] = {
    {"lock_wait", 0.1, "share", "Less is not reported."},
    {"uneven_threads", 1.5, "ratio", "Smaller ratios are not reported."},
    {"min_threads", 3, "count", "Fewer threads are not compared."},
    {"busy", 0.6, "share",
     "A thread that works for less of the time keeps nobody waiting."},
    {"slow_calls", 0.2, "share", "Less is not reported."},
    {"slow_ratio", 5, "ratio",
     "A call is slow if it takes this many times the median."},
    {"min_calls", 20, "count", "Functions with fewer calls are not judged."},
    {"min_micros", 1000, "us", "Shorter calls are not slow."},
};

using profile::StringId;

struct Call {
  int64_t start = 0;
  int64_t end = 0;
  StringId name = profile::kNone;
  int64_t own = 0;     // without the calls in it
  bool waits = false;  // itself
};

// A part of the own time of a call.
struct Piece {
  timeline::Interval time;
  StringId name = profile::kNone;
};

struct Thread {
  profile::LaneId lane = profile::kNone;
  std::vector<Call> calls;   // by start
  std::vector<Piece> work;   // by start; without waits
  std::vector<Piece> locks;  // waits for locks, in the call around them
  int64_t busy = 0;          // of `work`
  int64_t locked = 0;        // of `locks`
};

using Sums = absl::flat_hash_map<StringId, int64_t>;

// The name with most time, the first one of several.
std::pair<StringId, int64_t> LargestOf(const Sums& sums) {
  std::pair<StringId, int64_t> most = {profile::kNone, 0};
  for (const auto& [name, ticks] : sums) {
    if (ticks > most.second || (ticks == most.second && name < most.first)) {
      most = {name, ticks};
    }
  }
  return most;
}

Sums SumsOf(const std::vector<Piece>& pieces) {
  Sums sums;
  for (const Piece& piece : pieces) sums[piece.name] += piece.time.length();
  return sums;
}

// "pthread_mutex_lock", "Lock contention on …", "monitor contention with …".
bool IsLock(std::string_view name) {
  const std::string lower = util::LowerCase(name);
  return lower.find("mutex_lock") != lower.npos ||
         lower.find("rwlock_") != lower.npos ||
         lower.find("spin_lock") != lower.npos ||
         lower.find("contention") != lower.npos;
}

// "worker-" for "worker-5".
std::string_view WithoutDigits(std::string_view name) {
  while (!name.empty() && util::IsDigit(name.back())) name.remove_suffix(1);
  return name;
}

class ThreadCheck {
 public:
  ThreadCheck(const CheckerInput& input, const CheckerSettings& settings)
      : check_(OpenDevices(input)),
        profile_(check_.profile()),
        settings_(settings),
        is_known_(profile_.strings().size()) {}

  CheckResult Run() {
    CheckResult result;
    Collect();
    for (auto& [process, threads] : processes_) {
      if (check_.work.cancelled()) break;
      lock_names_.clear();
      int64_t start = std::numeric_limits<int64_t>::max(), end = 0;
      for (Thread& thread : threads) {
        for (const Call& call : thread.calls) {
          start = std::min(start, call.start);
          end = std::max(end, call.end);
        }
        Cut(thread);
      }
      wall_ = end - start;
      if (wall_ <= 0) continue;
      CheckLocks(threads, result);
      CheckEven(threads, result);
      CheckSlowCalls(threads, result);
    }
    return result;
  }

 private:
  enum Known : uint8_t { kUnknown, kWorks, kWaits, kLocks };

  Known KindOf(StringId name) {
    Known& known = is_known_[name];
    if (known == kUnknown) {
      const std::string_view text = Text(name);
      known = IsLock(text) ? kLocks : timeline::IsWait(text) ? kWaits : kWorks;
    }
    return known;
  }
  std::string_view Text(StringId name) const {
    return name == profile::kNone ? std::string_view()
                                  : profile_.strings().Get(name);
  }
  std::string_view NameOf(const Thread& thread) const {
    return Text(profile_.lanes()[thread.lane].name);
  }

  // Whether the executions on a lane are calls of a thread of a host alone.
  bool IsThread(const profile::Lane& lane) const {
    return lane.calls_nest && lane.repeats == profile::kNone &&
           lane.name != profile::kNone &&
           (lane.kind == profile::LaneKind::kCompute ||
            lane.kind == profile::LaneKind::kPython);
  }

  void Collect() {
    const profile::LaneTable& lanes = profile_.lanes();
    std::map<profile::ProcessId, bool> has_accelerator;
    for (const timeline::LaneUnit& unit : check_.activities.units()) {
      has_accelerator[unit.process] |= unit.accelerator;
    }
    constexpr size_t kNone = std::numeric_limits<size_t>::max();
    std::vector<size_t> place(lanes.size(), kNone);
    for (profile::LaneId id = 0; id < lanes.size(); ++id) {
      const profile::ProcessId process = lanes[id].process;
      if (!IsThread(lanes[id]) || has_accelerator[process]) continue;
      place[id] = processes_[process].size();
      processes_[process].push_back({.lane = id});
    }
    for (const auto& step : profile_.steps()) {
      if (step->num_executions() == 0) continue;
      for (size_t g = 0; g < step->num_groups(); ++g) {
        const auto node = static_cast<profile::NodeId>(step->node[g]);
        const bool python = Text(profile_.nodes().op[node]) == "python";
        const StringId name =
            python ? profile_.nodes().name[node] : profile_.nodes().op[node];
        for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
          if (check_.work.cancelled()) return;
          const profile::LaneId lane = step->LaneOf(e);
          if (lane == profile::kNone || place[lane] == kNone ||
              !step->HasStart(e)) {
            continue;
          }
          const timeline::Interval time = check_.activities.TimeOf(*step, e);
          if (check_.activities.IsWholeStep(time)) continue;
          processes_[lanes[lane].process][place[lane]].calls.push_back(
              {.start = time.start, .end = time.end, .name = name});
        }
      }
    }
  }

  // Finds the own time of the calls of a thread.
  void Cut(Thread& thread) {
    std::vector<Call>& calls = thread.calls;
    std::ranges::sort(calls, [](const Call& a, const Call& b) {
      return std::tie(a.start, b.end) < std::tie(b.start, a.end);
    });
    std::vector<size_t> open;
    // The place of the first wait for a lock among the open calls: what is
    // inside of it is that wait, too.
    constexpr size_t kNone = std::numeric_limits<size_t>::max();
    size_t lock = kNone;
    int64_t now = 0;
    const auto use = [&](int64_t end) {
      Call& call = calls[open.back()];
      const timeline::Interval time = {now, end};
      call.own += time.length();
      call.waits = lock != kNone || KindOf(call.name) != kWorks;
      if (lock != kNone) {
        thread.locks.push_back(
            {time, lock == 0 ? profile::kNone : calls[open[lock - 1]].name});
        thread.locked += time.length();
        lock_names_[calls[open[lock]].name] += time.length();
      } else if (!call.waits) {
        thread.work.push_back({time, call.name});
        thread.busy += time.length();
      }
    };
    const auto advance = [&](int64_t to) {
      while (!open.empty() && now < to) {
        const int64_t end = std::min(to, calls[open.back()].end);
        if (end > now) use(end);
        now = std::max(now, end);
        while (!open.empty() && calls[open.back()].end <= now) open.pop_back();
        if (lock != kNone && open.size() <= lock) lock = kNone;
      }
      now = std::max(now, to);
    };
    for (size_t i = 0; i < calls.size(); ++i) {
      if (check_.work.cancelled()) return;
      advance(calls[i].start);
      if (lock == kNone && KindOf(calls[i].name) == kLocks) lock = open.size();
      open.push_back(i);
    }
    advance(std::numeric_limits<int64_t>::max());
  }

  // What the other threads do while one waits: the thread and the call with
  // most of that time.
  struct Meanwhile {
    const Thread* thread = nullptr;
    StringId name = profile::kNone;
    int64_t ticks = 0;
  };
  static Meanwhile DuringLocks(const std::vector<Thread>& threads,
                               const Thread& waits) {
    timeline::Intervals times;
    for (const Piece& lock : waits.locks) {
      timeline::AddInterval(times, lock.time.start, lock.time.end);
    }
    timeline::Overlap inside(times);
    Meanwhile most;
    for (const Thread& other : threads) {
      if (&other == &waits) continue;
      Sums sums;
      for (const Piece& piece : other.work) {
        sums[piece.name] += inside.Length(piece.time.start, piece.time.end);
      }
      const auto [name, ticks] = LargestOf(sums);
      if (ticks > most.ticks) most = {&other, name, ticks};
    }
    return most;
  }

  void CheckLocks(const std::vector<Thread>& threads, CheckResult& result) {
    const Thread& worst =
        *std::ranges::max_element(threads, {}, &Thread::locked);
    const double threshold = settings_.Get("lock_wait");
    Finding f = ShareFinding(check_, kRules[0].id, NameOf(worst), worst.locked,
                             wall_, threshold, worst.locked);
    if (f.value <= threshold) return;
    constexpr double kHolds = 0.5;
    const auto around = LargestOf(SumsOf(worst.locks)).first;
    const Meanwhile other = DuringLocks(threads, worst);
    f.severity = Finding::Severity::kWarning;
    f.text = fmt::format(
        "thread {} waits for locks for {} of the time ({} of {}): {}{}{}",
        NameOf(worst), util::Percent(worst.locked, wall_),
        check_.Time(worst.locked), check_.Time(wall_),
        Text(LargestOf(lock_names_).first),
        around == profile::kNone ? "" : " in ", Text(around));
    if (other.thread != nullptr &&
        static_cast<double>(other.ticks) >=
            kHolds * static_cast<double>(worst.locked)) {
      f.text += fmt::format("; for {} of it thread {} is in {}",
                            util::Percent(other.ticks, worst.locked),
                            NameOf(*other.thread), Text(other.name));
    }
    f.advice =
        "Hold the lock for less time: do slow work, such as reading and "
        "writing files, outside of it, or use a lock for each part of the "
        "data.";
    Show(std::move(f), result);
  }

  void CheckEven(const std::vector<Thread>& threads, CheckResult& result) {
    std::map<std::string_view, std::vector<const Thread*>> groups;
    for (const Thread& thread : threads) {
      const std::string_view name = NameOf(thread);
      const std::string_view group = WithoutDigits(name);
      if (group.size() < name.size()) groups[group].push_back(&thread);
    }
    for (const auto& [group, of] : groups) {
      if (static_cast<double>(of.size()) < settings_.Get("min_threads")) {
        continue;
      }
      const Thread& most = **std::ranges::max_element(
          of, {}, [](const Thread* thread) { return thread->busy; });
      const auto [name, ticks] = LargestOf(SumsOf(most.work));
      std::vector<int64_t> others;
      int64_t sum = 0;
      size_t alike = 0;
      for (const Thread* thread : of) {
        sum = util::SaturatingAdd(sum, thread->busy);
        if (thread == &most) continue;
        others.push_back(thread->busy);
        alike += std::ranges::any_of(thread->work, [&](const Piece& piece) {
          return piece.name == name;
        });
      }
      // Threads that do other things have no equal parts.
      if (2 * alike < others.size()) continue;
      const size_t num_others = others.size();
      const int64_t median = util::Median(std::move(others));
      Finding f;
      f.value = static_cast<double>(most.busy) /
                static_cast<double>(std::max<int64_t>(1, median));
      f.threshold = settings_.Get("uneven_threads");
      if (f.value < f.threshold ||
          static_cast<double>(most.busy) <
              settings_.Get("busy") * static_cast<double>(wall_)) {
        continue;
      }
      f.rule = kRules[1].id;
      f.severity = Finding::Severity::kWarning;
      f.subject = NameOf(most);
      f.saving_micros = check_.MicrosPerStep(
          most.busy - sum / static_cast<int64_t>(of.size()));
      f.text = fmt::format(
          "thread {} works for {} of the time ({} of {}), the median of the "
          "{} others of its kind for {}; most of it is {} ({})",
          f.subject, util::Percent(most.busy, wall_), check_.Time(most.busy),
          check_.Time(wall_), num_others, check_.Time(median), Text(name),
          check_.Time(ticks));
      f.advice =
          "Give the threads the same amount of work: smaller pieces, which "
          "each thread takes from one queue when it is free.";
      Show(std::move(f), result);
    }
  }

  void CheckSlowCalls(const std::vector<Thread>& threads,
                      CheckResult& result) const {
    std::map<StringId, std::vector<int64_t>> calls;  // own times
    int64_t work = 0;
    for (const Thread& thread : threads) {
      work = util::SaturatingAdd(work, thread.busy);
      for (const Call& call : thread.calls) {
        if (!call.waits && call.own > 0) calls[call.name].push_back(call.own);
      }
    }
    for (const auto& [name, of] : calls) {
      if (static_cast<double>(of.size()) < settings_.Get("min_calls")) continue;
      const auto median =
          static_cast<double>(util::Median(std::vector<int64_t>(of)));
      const double slow_from = std::max(
          settings_.Get("slow_ratio") * median,
          static_cast<double>(check_.Ticks(settings_.Get("min_micros"))));
      constexpr double kUsual = 2;
      std::vector<int64_t> slow;  // places
      int64_t more = 0, longest = 0;
      size_t between = 0;
      for (size_t i = 0; i < of.size(); ++i) {
        const auto ticks = static_cast<double>(of[i]);
        between += ticks > kUsual * median && ticks < slow_from;
        if (ticks < slow_from) continue;
        slow.push_back(static_cast<int64_t>(i));
        longest = std::max(longest, of[i]);
        more += of[i] - util::ToInteger(median);
      }
      // Calls of all lengths have no slow ones among them; most calls are the
      // usual ones, and one or two slow calls come by chance.
      constexpr size_t kLeast = 3;
      constexpr size_t kPart = 3;
      if (slow.size() < kLeast || slow.size() * kPart > of.size() ||
          between * 2 > slow.size()) {
        continue;
      }
      Finding f = ShareFinding(check_, kRules[2].id, Text(name), more, work,
                               settings_.Get("slow_calls"), more);
      if (f.value <= f.threshold) continue;
      f.severity = Finding::Severity::kWarning;
      const int64_t distance = DistanceOf(slow);
      f.text = fmt::format(
          "{} of {} calls of {}{} take up to {}, the others {} (median): "
          "{} of all work of the threads ({} of {})",
          slow.size(), of.size(), Text(name),
          distance > 1 ? fmt::format(", one in {},", distance) : "",
          check_.Time(longest), check_.Time(util::ToInteger(median)),
          util::Percent(more, work), check_.Time(more), check_.Time(work));
      f.advice =
          "Compare such a call with a usual one: other arguments, a cache that "
          "misses, a file, a query or another program that it waits for.";
      Show(std::move(f), result);
    }
  }

  // The distance of some places, if it is always the same; otherwise 0.
  static int64_t DistanceOf(const std::vector<int64_t>& places) {
    const int64_t distance = places[1] - places[0];
    for (size_t i = 2; i < places.size(); ++i) {
      if (places[i] - places[i - 1] != distance) return 0;
    }
    return distance;
  }

  void Show(Finding finding, CheckResult& result) const {
    for (const auto& step : profile_.steps()) {
      if (!step->listed) continue;
      finding.evidence = fmt::format("explain step {}", step->id);
      break;
    }
    result.findings.push_back(std::move(finding));
  }

  const DeviceCheck check_;
  const profile::Profile& profile_;
  const CheckerSettings& settings_;
  std::vector<Known> is_known_;  // by name
  std::map<profile::ProcessId, std::vector<Thread>> processes_;
  // Of the current process.
  Sums lock_names_;
  int64_t wall_ = 0;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  return ThreadCheck(input, settings).Run();
}

}  // namespace threads
}  // namespace

const Checker kThreadChecker = {
    "ThreadChecker",
    "Threads of other programs that wait for locks or have more work than the "
    "others, and functions that are slow now and then.",
    Checker::Kind::kAdvice,
    threads::kRules,
    threads::kOptions,
    threads::Check,
    Checker::Needs::kOtherProgram};

}  // namespace tfprof::advisor
