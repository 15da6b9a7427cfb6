#include "timeline/ranks/matched_events.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "profile/tables/links.h"
#include "timeline/bounds.h"
#include "timeline/ranks/communication.h"
#include "timeline/ranks/same_steps.h"
#include "timeline/tracks.h"

namespace tfprof::timeline {
namespace {

constexpr std::string_view kAllToAll = "all-to-all";
constexpr std::string_view kUncertain = "send-receive";

// NCCL runs an all-to-all as a kernel of sends and receives.
bool IsSendAndReceive(std::string_view kernel) {
  return kernel.find("SendRecv") != kernel.npos;
}

struct Timed {
  int64_t start;
  int64_t end;
  uint32_t record;
};

class CollectiveFinder {
 public:
  CollectiveFinder(const profile::Profile& profile,
                   const std::vector<uint32_t>& who_of)
      : profile_(profile), who_of_(who_of) {}

  void AddStep(size_t place) {
    const profile::Step& step = *profile_.steps()[place];
    const auto see = [&](size_t e, profile::NodeId node) {
      const profile::LaneId lane = step.LaneOf(e);
      if (lane == profile::kNone || !step.HasStart(e) ||
          who_of_[lane] == profile::kNone)
        return;
      const std::string key = CollectiveOf(step, e, node);
      if (key.empty()) return;
      const TrackEvent event = EventOf(profile_, place, e);
      all_[key][who_of_[lane]].push_back({.who = who_of_[lane],
                                          .start = BoundedTime(event.start),
                                          .end = BoundedTime(event.end),
                                          .record = event.record,
                                          .lane = lane});
    };
    for (size_t g = 0; g < step.num_groups(); ++g) {
      for (size_t e = step.exec_begin(g); e < step.exec_end(g); ++e) {
        see(e, static_cast<profile::NodeId>(step.node[g]));
      }
    }
    for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
      see(e, profile::kNone);
    }
  }

  std::vector<MatchedCollective> Take() {
    std::vector<MatchedCollective> matched;
    for (auto& [key, of_who] : all_) {
      AddCollective(of_who, !key.starts_with(kUncertain), matched);
    }
    return matched;
  }

 private:
  using Part = MatchedCollective::Part;
  using PartsOfWho = std::map<uint32_t, std::vector<Part>>;

  // Returns the collective of an execution, or "" if it gives no bounds.
  std::string CollectiveOf(const profile::Step& step, size_t e,
                           profile::NodeId node) const {
    const profile::LaneId lane = step.LaneOf(e);
    const bool of_lane =
        profile_.lanes()[lane].kind == profile::LaneKind::kCommunication;
    const auto record = static_cast<profile::RecordRef>(step.exec_record[e]);
    std::string_view op =
        node == profile::kNone
            ? profile_.strings().Get(step.OutsideName(e))
            : profile_.strings().Get(profile_.nodes().op[node]);
    // If a node is only in run metadata, its op is its name.
    const bool no_op = node != profile::kNone &&
                       profile_.nodes().record[node] == profile::kNoRecord &&
                       profile_.nodes().op[node] == profile_.nodes().name[node];
    if (no_op) {
      const std::string_view of_label = profile_.Text(record).op;
      if (!of_label.empty()) op = of_label;
    }
    if (!of_lane && !IsCommunicationOp(op)) return "";
    // The call starts a collective, and may return long before the others
    // begin.
    if (!of_lane && op.starts_with("c10d::")) return "";
    const std::string_view kernel = profile_.Text(record).name;
    std::string_view what = SymmetricCollective(op);
    if (of_lane && what.empty()) what = SymmetricCollective(kernel);
    std::string group, size;
    for (const auto& [key, value] : profile_.Arguments(record)) {
      if (key == "Collective name" && what.empty()) {
        what = SymmetricCollective(value);
      }
      if (key == "Process Group Ranks") group.append(value).append(" ");
      if (key == "In msg nelems") size.append(value).append(" ");
    }
    if (what.empty() && of_lane && IsSendAndReceive(kernel)) what = kUncertain;
    if (what.empty()) return "";
    // In an all-to-all, each rank may send another number of elements.
    if (what != kAllToAll && what != kUncertain) group += size;
    // An op of a graph has the same name in all processes.
    if (node != profile::kNone && !of_lane) group += profile_.node_name(node);
    std::string key(what);
    key.append(" ").append(group);
    return key;
  }

  bool IsLaunch(const Part& part) const {
    return profile_.lanes()[part.lane].kind == profile::LaneKind::kLaunches;
  }

  void AddCollective(PartsOfWho& of_who, bool certain,
                     std::vector<MatchedCollective>& matched) const {
    if (of_who.size() < 2) return;
    // A launch is no part of a collective if its kernels are known.
    const bool has_kernels = std::ranges::any_of(of_who, [&](const auto& of) {
      return !std::ranges::all_of(
          of.second, [&](const Part& part) { return IsLaunch(part); });
    });
    for (auto& [who, parts] : of_who) {
      if (!has_kernels) break;
      std::erase_if(parts, [&](const Part& part) { return IsLaunch(part); });
    }
    const size_t count = of_who.begin()->second.size();
    for (auto& [who, parts] : of_who) {
      if (parts.size() != count) return;
      std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
        return std::tie(a.start, a.record) < std::tie(b.start, b.record);
      });
    }
    for (size_t i = 0; i < count; ++i) {
      MatchedCollective& collective = matched.emplace_back();
      collective.certain = certain;
      for (const auto& [who, parts] : of_who) {
        collective.parts.push_back(parts[i]);
      }
    }
  }

  const profile::Profile& profile_;
  const std::vector<uint32_t>& who_of_;
  // Indexed by collective.
  std::map<std::string, PartsOfWho> all_;
};

class Matcher {
 public:
  Matcher(const profile::Profile& profile, const std::vector<size_t>& steps,
          const std::vector<uint32_t>& clock_of, const AddOrder& add)
      : profile_(profile), steps_(steps), clock_of_(clock_of), add_(add) {}

  void Match() {
    for (const size_t place : steps_) MatchReceives(place);
    for (const std::vector<size_t>& step : GroupSameSteps(profile_, steps_)) {
      for (const MatchedCollective& of :
           MatchCollectives(profile_, step, clock_of_)) {
        if (!of.certain) continue;
        for (const MatchedCollective::Part& from : of.parts) {
          for (const MatchedCollective::Part& to : of.parts) {
            if (from.who == to.who) continue;
            add_(from.who, from.start, to.who, to.end);
          }
        }
      }
    }
    MatchLinks();
  }

 private:
  uint32_t ClockOf(const profile::Step& step, size_t record) const {
    const profile::LaneId lane = step.LaneOf(record);
    return lane == profile::kNone || !step.HasStart(record) ? profile::kNone
                                                            : clock_of_[lane];
  }

  Timed TimeOf(size_t place, size_t record) const {
    const TrackEvent event = EventOf(profile_, place, record);
    return {BoundedTime(event.start), BoundedTime(event.end), event.record};
  }

  // Returns the name of the op that made a tensor: "train/read" for
  // "edge_31_train/read".
  static std::string_view ProducerOf(std::string_view tensor) {
    constexpr std::string_view kEdge = "edge_";
    if (!tensor.starts_with(kEdge)) return tensor;
    const size_t digits = tensor.find_first_not_of("0123456789", kEdge.size());
    if (digits == std::string_view::npos || digits == kEdge.size() ||
        tensor[digits] != '_') {
      return tensor;
    }
    return tensor.substr(digits + 1);
  }

  void MatchReceives(size_t place) {
    const profile::Step& step = *profile_.steps()[place];
    for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
      const uint32_t to = ClockOf(step, e);
      if (to == profile::kNone || profile_.strings().Get(step.OutsideName(e)) !=
                                      std::string_view("RecvTensor")) {
        continue;
      }
      const profile::Transfer moved = profile_.TransferOf(
          static_cast<profile::RecordRef>(step.exec_record[e]));
      const profile::StringId name =
          profile_.strings().Find(ProducerOf(moved.tensor));
      if (moved.tensor.empty() || name == profile::kNone) continue;
      const profile::NodeId node = profile_.nodes().Find(name);
      const uint32_t group =
          node == profile::kNone ? profile::kNone : step.FindGroup(node);
      if (group == profile::kNone) continue;
      std::optional<int64_t> made;
      uint32_t from = profile::kNone;
      for (size_t p = step.exec_begin(group); p < step.exec_end(group); ++p) {
        const uint32_t clock = ClockOf(step, p);
        if (clock == profile::kNone || clock == to ||
            (from != profile::kNone && clock != from) ||
            !IsOn(moved.from, step, p)) {
          continue;
        }
        from = clock;
        const int64_t start = TimeOf(place, p).start;
        made = std::min(made.value_or(start), start);
      }
      if (made) add_(from, *made, to, TimeOf(place, e).end);
    }
  }

  bool IsOn(std::string_view device, const profile::Step& step,
            size_t record) const {
    const profile::DeviceId of = profile_.device_of(step.LaneOf(record));
    return device.empty() || of == profile::kNone ||
           EqualNames(device, profile_.devices().name(of));
  }

  // Compares device names: ".../device:CPU:0" and ".../cpu:0" are equal.
  static bool EqualNames(std::string_view a, std::string_view b) {
    const auto task = [](std::string_view name) {
      return name.substr(0, name.rfind('/'));
    };
    const auto index = [](std::string_view name) {
      return name.substr(name.rfind(':') + 1);
    };
    return task(a) == task(b) && index(a) == index(b);
  }

  void MatchLinks() {
    const profile::Links& links = profile_.links();
    std::map<int64_t, size_t> places;
    for (const size_t place : steps_) {
      places.emplace(profile_.steps()[place]->id, place);
    }
    for (size_t i = 0; i < links.size(); ++i) {
      const profile::Link link = links[i];
      const auto from = places.find(link.from.step);
      const auto to = places.find(link.to.step);
      if (link.kind == profile::LinkKind::kGradient || from == places.end() ||
          to == places.end()) {
        continue;
      }
      const uint32_t a =
          ClockOf(*profile_.steps()[from->second], link.from.index);
      const uint32_t b = ClockOf(*profile_.steps()[to->second], link.to.index);
      if (a == profile::kNone || b == profile::kNone || a == b) continue;
      const Timed earlier = TimeOf(from->second, link.from.index);
      const Timed later = TimeOf(to->second, link.to.index);
      add_(a, earlier.start, b,
           link.kind == profile::LinkKind::kLaunch ? later.start : later.end);
    }
  }

  const profile::Profile& profile_;
  const std::vector<size_t>& steps_;
  const std::vector<uint32_t>& clock_of_;
  const AddOrder& add_;
};

}  // namespace

std::string_view SymmetricCollective(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  // XLA's "-start" and "-done" halves do not have the collective's whole time.
  if (name.find("-start") != std::string_view::npos ||
      name.find("-done") != std::string_view::npos) {
    return "";
  }
  for (const auto& [word, kind] :
       {std::pair<std::string_view, std::string_view>{"allreduce",
                                                      "all-reduce"},
        {"collectivereduce", "all-reduce"},
        {"allgather", "all-gather"},
        {"reducescatter", "reduce-scatter"},
        {"alltoall", kAllToAll},
        {"barrier", "barrier"}}) {
    if (letters.find(word) != std::string::npos) return kind;
  }
  return "";
}

std::vector<MatchedCollective> MatchCollectives(
    const profile::Profile& profile, const std::vector<size_t>& step,
    const std::vector<uint32_t>& who_of) {
  CollectiveFinder finder(profile, who_of);
  for (const size_t place : step) finder.AddStep(place);
  return finder.Take();
}

void AddMatchedEvents(const profile::Profile& profile,
                      const std::vector<size_t>& steps,
                      const std::vector<uint32_t>& clock_of,
                      const AddOrder& add) {
  Matcher(profile, steps, clock_of, add).Match();
}

}  // namespace tfprof::timeline
