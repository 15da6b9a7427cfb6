#include "loaders/gpu_trace/range_steps.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "util/text/ascii.h"
#include "util/text/decimal.h"

namespace tfprof::gpu_trace {
namespace {

// Steps are looked for in so many levels of ranges: a program may have a range
// around everything, and one around each epoch.
constexpr size_t kLevels = 3;
// Ranges with one name are steps if so many of the launches between the first
// and the last of them are inside; numbered ones may have others in between,
// such as those of prefills.
constexpr double kOfEqual = 0.9;
constexpr double kOfNumbered = 0.5;
// Two runs of one name may be anything.
constexpr size_t kFewestEqual = 3;
constexpr size_t kFewestNumbered = 2;
// Fewer names than this are no clutter, and say more than their row.
constexpr size_t kFewestOfRow = 5;
// After so many ranges, a name without many launches is given up.
constexpr size_t kProbe = 64;

// The numbers of these count parts of a model, a step or a machine.
constexpr std::string_view kParts[] = {
    "layer", "block",  "stage",  "head",   "expert", "rank",   "worker",
    "gpu",   "device", "stream", "bucket", "chunk",  "thread", "microbatch",
    "node",  "module", "op",     "kernel", "graph",  "micro",  "shard",
    "lane",  "conv",   "linear", "cell",   "level",  "tile",   "part"};

bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }

bool EndsWithWord(std::string_view row,
                  std::span<const std::string_view> words) {
  const size_t last = row.find_last_not_of("*#_-=:.[]() \t");
  const std::string lower =
      util::LowerCase(row.substr(0, last == row.npos ? 0 : last + 1));
  return std::ranges::any_of(words, [&](std::string_view word) {
    return lower.ends_with(word) &&
           (lower.size() == word.size() ||
            !IsLetter(lower[lower.size() - word.size() - 1]));
  });
}

// The ranges of a thread that may be steps together, by start.
struct Group {
  profile::StringId row = profile::kNone;  // the name that they share
  std::vector<uint32_t> ranges;            // in GpuTrace::host
  std::vector<int64_t> numbers;            // of numbered ones
  bool counts_up = false;
  bool is_epoch = false;
  int64_t launches = 0;  // inside of them
};

class Finder {
  struct Name {
    profile::StringId row = profile::kNone;
    int64_t number = -1;
  };

 public:
  Finder(GpuTrace& trace, profile::StringPool& strings)
      : trace_(trace), strings_(strings) {}

  void Find() {
    if (!std::ranges::any_of(trace_.host, [](const HostEvent& event) {
          return event.kind == HostKind::kRange;
        })) {
      return;
    }
    FindLaunches();
    const std::vector<std::vector<uint32_t>> levels = Levels();
    Group best;
    for (const std::vector<uint32_t>& level : levels) {
      for (Group& group : Groups(level)) {
        if (!Judge(group)) continue;
        if (group.counts_up && group.ranges.size() >= kFewestOfRow) {
          Rename(group);
        }
        const bool better =
            best.ranges.empty() || (best.is_epoch && !group.is_epoch) ||
            (best.is_epoch == group.is_epoch && group.launches > best.launches);
        if (better) best = std::move(group);
      }
      // What is inside of steps are parts of steps.
      if (!best.ranges.empty() && !best.is_epoch) break;
    }
    for (size_t i = 0; i < best.ranges.size(); ++i) {
      const HostEvent& range = trace_.host[best.ranges[i]];
      trace_.steps.push_back(
          {.number = best.counts_up ? best.numbers[i] : static_cast<int64_t>(i),
           .start = range.start,
           .end = range.end,
           .range = best.ranges[i]});
    }
  }

 private:
  // The times of calls that launched work; of all calls if the file has no
  // work.
  void FindLaunches() {
    std::vector<bool> is_launch(trace_.host.size(), trace_.work.empty());
    for (const Work& work : trace_.work) {
      if (work.launch != profile::kNone) is_launch[work.launch] = true;
    }
    for (size_t e = 0; e < trace_.host.size(); ++e) {
      const HostEvent& event = trace_.host[e];
      if (is_launch[e] && event.kind == HostKind::kCall) {
        launches_.push_back(event.start);
      }
    }
    if (!std::ranges::is_sorted(launches_)) std::ranges::sort(launches_);
  }

  int64_t LaunchesIn(int64_t start, int64_t end) const {
    return std::ranges::upper_bound(launches_, end) -
           std::ranges::lower_bound(launches_, start);
  }

  // The ranges with 0, 1, … ranges of their thread around them, by thread and
  // start.
  std::vector<std::vector<uint32_t>> Levels() const {
    std::vector<std::vector<uint32_t>> levels(kLevels);
    std::vector<std::vector<uint32_t>> of_thread(trace_.threads.size());
    for (uint32_t e = 0; e < trace_.host.size(); ++e) {
      const HostEvent& event = trace_.host[e];
      if (event.kind == HostKind::kRange) of_thread[event.thread].push_back(e);
    }
    const auto before = [&](uint32_t a, uint32_t b) {
      const HostEvent& x = trace_.host[a];
      const HostEvent& y = trace_.host[b];
      return x.start != y.start ? x.start < y.start : x.end > y.end;
    };
    for (std::vector<uint32_t>& ranges : of_thread) {
      if (!std::ranges::is_sorted(ranges, before)) {
        std::ranges::stable_sort(ranges, before);
      }
      std::vector<uint32_t> open;
      for (const uint32_t e : ranges) {
        while (!open.empty() &&
               trace_.host[open.back()].end <= trace_.host[e].start) {
          open.pop_back();
        }
        if (open.size() < kLevels) levels[open.size()].push_back(e);
        open.push_back(e);
      }
    }
    return levels;
  }

  std::vector<Group> Groups(const std::vector<uint32_t>& level) {
    std::vector<Group> groups;
    // By thread and row.
    absl::flat_hash_map<std::pair<uint32_t, profile::StringId>, size_t> known;
    for (const uint32_t e : level) {
      const HostEvent& range = trace_.host[e];
      const Name name = NameOf(range.op);
      const auto [it, added] =
          known.try_emplace({range.thread, name.row}, groups.size());
      if (added) groups.push_back({.row = name.row});
      groups[it->second].ranges.push_back(e);
      groups[it->second].numbers.push_back(name.number);
    }
    return groups;
  }

  Name NameOf(profile::StringId op) {
    const auto [it, is_new] = names_.try_emplace(op);
    if (is_new) {
      const NumberedName name = ReadNumberedName(strings_.Get(op));
      it->second = {name.number < 0 ? op : strings_.Intern(name.row),
                    name.number};
    }
    return it->second;
  }

  // Returns whether the ranges may be steps.
  bool Judge(Group& group) const {
    constexpr std::string_view kEpoch[] = {"epoch"};
    const std::string_view row = strings_.Get(group.row);
    group.is_epoch = EndsWithWord(row, kEpoch);
    const bool numbered = group.numbers.front() >= 0;
    const size_t size = group.ranges.size();
    if (size < (numbered ? kFewestNumbered : kFewestEqual)) return false;
    group.counts_up = numbered;
    const double least = numbered ? kOfNumbered : kOfEqual;
    const int64_t from = trace_.host[group.ranges.front()].start;
    int64_t around = 0;  // ranges with launches
    for (size_t i = 0; i < size; ++i) {
      const HostEvent& range = trace_.host[group.ranges[i]];
      if (i > 0) {
        if (range.start < trace_.host[group.ranges[i - 1]].end) return false;
        if (numbered && group.numbers[i] <= group.numbers[i - 1]) return false;
      }
      const int64_t launches = LaunchesIn(range.start, range.end);
      group.launches += launches;
      around += launches > 0 ? 1 : 0;
      // Most names of a file are of operators, far from having so many.
      if (i == kProbe &&
          static_cast<double>(group.launches) <
              least / 2 * static_cast<double>(LaunchesIn(from, range.end))) {
        return false;
      }
    }
    if (EndsWithWord(row, kParts)) return false;
    const int64_t all = LaunchesIn(from, trace_.host[group.ranges.back()].end);
    return 2 * around > static_cast<int64_t>(size) &&
           static_cast<double>(group.launches) >=
               least * static_cast<double>(all);
  }

  void Rename(const Group& group) {
    for (const uint32_t e : group.ranges) trace_.host[e].op = group.row;
  }

  GpuTrace& trace_;
  profile::StringPool& strings_;
  std::vector<int64_t> launches_;  // ascending
  absl::flat_hash_map<profile::StringId, Name> names_;
};

}  // namespace

NumberedName ReadNumberedName(std::string_view name) {
  NumberedName result;
  const size_t last = name.find_last_not_of("])");
  const std::string_view front =
      name.substr(0, last == name.npos ? 0 : last + 1);
  const size_t before = front.find_last_not_of("0123456789");
  const size_t first = before == front.npos ? 0 : before + 1;
  // A name that is only a number says nothing.
  if (first == 0 || first == front.size()) {
    result.row = name;
    return result;
  }
  const auto number = util::ParseDecimal(front.substr(first));
  if (!number || *number < 0) {
    result.row = name;
    return result;
  }
  result.number = *number;
  std::string_view stem = front.substr(0, first);
  if (stem.size() > 1 && stem.ends_with('#')) stem.remove_suffix(1);
  result.row = stem;
  result.row += '*';
  result.row += name.substr(front.size());
  return result;
}

void FindRangeSteps(GpuTrace& trace, profile::StringPool& strings) {
  if (trace.steps.empty()) Finder(trace, strings).Find();
}

}  // namespace tfprof::gpu_trace
