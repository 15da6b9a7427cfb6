#include "timeline/ranks/hang_causes.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace tfprof::timeline {
namespace {

using profile::CollectiveRecords;
using profile::kNone;
using Call = CollectiveRecords::Call;
using Problem = Divergence::Problem;

// ---- Which divergences are causes.

class CauseFinder {
 public:
  explicit CauseFinder(const Divergences& all)
      : first_(all.first),
        leads_to_(first_.size()),
        led_here_(first_.size()),
        free_(first_.size()) {}

  std::vector<HangCause> Find() {
    FollowWaits();
    std::vector<size_t> roots;
    for (size_t d = 0; d < first_.size(); ++d) {
      if (!free_[d].empty() || leads_to_[d].empty()) roots.push_back(d);
    }
    // A rank may be missing in several groups. The group for which most others
    // wait tells most, then the one that waits longest.
    const auto key = [&](size_t d) {
      return std::tuple(!leads_to_[d].empty(), -std::ssize(led_here_[d]),
                        Since(d), d);
    };
    std::sort(roots.begin(), roots.end(),
              [&](size_t a, size_t b) { return key(a) < key(b); });
    std::map<int64_t, size_t> cause_of_rank;
    for (const size_t d : roots) {
      const auto known = std::find_if(
          free_[d].begin(), free_[d].end(),
          [&](int64_t rank) { return !cause_of_rank.contains(rank); });
      if (known == free_[d].end() && !free_[d].empty()) {
        Join(d, cause_of_rank[free_[d][0]]);
        continue;
      }
      for (const int64_t rank : free_[d]) {
        cause_of_rank.try_emplace(rank, causes_.size());
      }
      causes_.push_back({.divergences = {d}, .ranks = free_[d]});
      Join(d, causes_.size() - 1);
    }
    for (size_t d = 0; d < first_.size(); ++d) {
      if (!cause_of_.contains(d)) AddCircle(d);
    }
    for (const auto& [d, cause] : cause_of_) {
      std::vector<size_t>& own = causes_[cause].divergences;
      if (std::find(own.begin(), own.end(), d) == own.end()) {
        causes_[cause].consequences.push_back(d);
      }
    }
    return std::move(causes_);
  }

 private:
  static const Divergence::Caller* CallerIn(const Divergence& found,
                                            int64_t rank) {
    const auto at = std::lower_bound(
        found.callers.begin(), found.callers.end(), rank,
        [](const Divergence::Caller& a, int64_t b) { return a.rank < b; });
    return at == found.callers.end() || at->rank != rank ? nullptr : &*at;
  }

  // When the first rank called.
  int64_t Since(size_t d) const {
    int64_t since = -1;
    for (const Divergence::Caller& caller : first_[d].callers) {
      const int64_t created = caller.call->created;
      if (created >= 0 && (since < 0 || created < since)) since = created;
    }
    return since;
  }

  void FollowWaits() {
    std::map<int64_t, std::vector<size_t>> waits_in;
    for (size_t d = 0; d < first_.size(); ++d) {
      for (const Divergence::Caller& caller : first_[d].callers) {
        if (caller.waits) waits_in[caller.rank].push_back(d);
      }
    }
    for (size_t d = 0; d < first_.size(); ++d) {
      if (first_[d].problem == Problem::kOperations) continue;
      for (const int64_t rank : first_[d].missing) {
        // If the rank called, its GPU can only wait for what it called before.
        const Divergence::Caller* const caller = CallerIn(first_[d], rank);
        bool waits = false;
        for (const size_t other : waits_in[rank]) {
          if (other == d) continue;
          const Divergence::Caller* const there = CallerIn(first_[other], rank);
          if (caller != nullptr && there->call >= caller->call) continue;
          waits = true;
          leads_to_[d].insert(other);
          led_here_[other].insert(d);
        }
        if (!waits) free_[d].push_back(rank);
      }
      // Nobody saw which GPUs did not begin it, so none is to blame.
      if (first_[d].problem == Problem::kNotCompleted) free_[d].clear();
    }
  }

  // Adds a divergence, and all that only wait because of it, to a cause.
  void Join(size_t divergence, size_t cause) {
    std::vector<size_t> open = {divergence};
    while (!open.empty()) {
      const size_t d = open.back();
      open.pop_back();
      if (!cause_of_.try_emplace(d, cause).second) continue;
      for (const size_t other : led_here_[d]) {
        if (free_[other].empty()) open.push_back(other);
      }
    }
  }

  // Follows the waits from a divergence that no cause explains, until they come
  // back.
  void AddCircle(size_t d) {
    std::vector<size_t> path;
    std::map<size_t, size_t> place;
    while (place.try_emplace(d, path.size()).second) {
      path.push_back(d);
      d = *leads_to_[d].begin();
    }
    HangCause circle;
    circle.divergences.assign(
        path.begin() + static_cast<std::ptrdiff_t>(place[d]), path.end());
    for (size_t i = 0; i < circle.divergences.size(); ++i) {
      const size_t next =
          circle.divergences[(i + 1) % circle.divergences.size()];
      for (const int64_t rank : first_[circle.divergences[i]].missing) {
        const auto* const caller = CallerIn(first_[next], rank);
        if (caller != nullptr && caller->waits) circle.ranks.push_back(rank);
      }
    }
    std::sort(circle.ranks.begin(), circle.ranks.end());
    circle.ranks.erase(std::unique(circle.ranks.begin(), circle.ranks.end()),
                       circle.ranks.end());
    const std::vector<size_t> members = circle.divergences;
    causes_.push_back(std::move(circle));
    for (const size_t member : members) Join(member, causes_.size() - 1);
  }

  const std::vector<Divergence>& first_;
  // Of each divergence: those in which its missing ranks wait, the reverse, and
  // its missing ranks that wait nowhere.
  std::vector<std::set<size_t>> leads_to_, led_here_;
  std::vector<std::vector<int64_t>> free_;
  std::vector<HangCause> causes_;
  std::map<size_t, size_t> cause_of_;  // of divergences
};

// ---- Texts.

constexpr size_t kNamedParts = 8;

std::string Ranks(const std::vector<int64_t>& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s",
                     RankList(ranks));
}

// "75us", "2.50ms", "3.20sec", as in tables.
std::string TimeText(double nanos) {
  if (nanos < 1e6) return fmt::format("{:.0f}us", nanos / 1e3);
  if (nanos < 1e9) return fmt::format("{:.2f}ms", nanos / 1e6);
  return fmt::format("{:.2f}sec", nanos / 1e9);
}

class HangWriter {
 public:
  HangWriter(const CollectiveRecords& records, const Divergences& all)
      : records_(records), all_(all) {}

  std::string Text(const HangCause& cause) const {
    std::string text;
    if (cause.divergences.size() > 1) {
      text = CircleText(cause);
    } else {
      const Divergence& found = all_.first[cause.divergences[0]];
      text = ProblemText(found, cause.ranks);
      if (found.problem == Problem::kMissingRanks ||
          found.problem == Problem::kNoPartner) {
        text += LastCalls(found, cause.ranks);
      }
    }
    if (!cause.consequences.empty()) {
      std::vector<std::string> names;
      for (const size_t d : cause.consequences) {
        names.push_back(all_.groups[all_.first[d].group].name);
      }
      names.erase(std::unique(names.begin(), names.end()), names.end());
      const size_t more =
          names.size() > kNamedParts ? names.size() - kNamedParts : 0;
      names.resize(names.size() - more);
      text += fmt::format(". Because of it, group{} {}{} wait{}, too",
                          names.size() + more == 1 ? "" : "s",
                          fmt::join(names, ", "),
                          more == 0 ? "" : fmt::format(" and {} more", more),
                          names.size() + more == 1 ? "s" : "");
    }
    return text;
  }

 private:
  std::string GroupText(size_t g) const {
    const CalledGroup& group = all_.groups[g];
    return group.description.empty()
               ? fmt::format("group {}", group.name)
               : fmt::format("group {} ({})", group.name, group.description);
  }

  bool HasDump(int64_t rank) const {
    return std::any_of(records_.dumps.begin(), records_.dumps.end(),
                       [&](const auto& dump) { return dump.rank == rank; });
  }

  // "collective 6 of group 0 (dp)".
  std::string CallText(const Divergence& found) const {
    return fmt::format(
        "{} {} of {}",
        found.problem == Problem::kNoPartner ? "call" : "collective",
        found.sequence, GroupText(found.group));
  }

  std::string At(CollectiveRecords::Text line) const {
    return line == kNone ? "" : fmt::format(" at {}", records_.Get(line));
  }

  // "nccl:all_reduce on ranks 0-3 at train.py:4:f, …": what was called, with
  // what is told apart.
  std::string Called(const Divergence& found,
                     CollectiveRecords::Text Call::*also) const {
    std::map<std::tuple<std::string, std::string, std::string>,
             std::vector<int64_t>>
        variants;
    for (const Divergence::Caller& caller : found.callers) {
      const Call& call = *caller.call;
      variants[{records_.Get(call.operation),
                also == nullptr ? "" : records_.Get(call.*also), At(call.line)}]
          .push_back(caller.rank);
    }
    std::vector<std::string> parts;
    for (const auto& [called, ranks] : variants) {
      const auto& [operation, extra, line] = called;
      if (parts.size() == kNamedParts) {
        parts.push_back(fmt::format("{} more", variants.size() - kNamedParts));
        break;
      }
      parts.push_back(fmt::format("{}{}{} on {}{}", operation,
                                  extra.empty() ? "" : " ", extra, Ranks(ranks),
                                  line));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  std::string ProblemText(const Divergence& found,
                          const std::vector<int64_t>& ranks) const {
    const std::string call = CallText(found);
    const auto also = [](int64_t count, std::string_view what) {
      return count == 0 ? std::string() : fmt::format("; {} {}", count, what);
    };
    const auto waiting = static_cast<int64_t>(found.missing.size()) -
                         static_cast<int64_t>(ranks.size());
    switch (found.problem) {
      case Problem::kMissingRanks:
        return fmt::format(
            "{} did not call {}; called: {}{}{}", Ranks(ranks), call,
            Called(found, nullptr),
            also(waiting, "more did not, because they wait in other groups"),
            all_.groups[found.group].absent.empty()
                ? ""
                : fmt::format("; no dump of {}",
                              Ranks(all_.groups[found.group].absent)));
      case Problem::kNoDump:
        return fmt::format(
            "{} {}, and all ranks with a dump wait in {}: {}", Ranks(ranks),
            std::all_of(ranks.begin(), ranks.end(),
                        [&](int64_t rank) { return HasDump(rank); })
                ? "left a damaged dump"
                : "wrote no dump",
            call, Called(found, nullptr));
      case Problem::kOperations:
        return fmt::format(
            "{} differs: {}{}", call, Called(found, nullptr),
            found.missing.empty()
                ? ""
                : fmt::format(", nothing on {}", Ranks(found.missing)));
      case Problem::kSizes:
        return fmt::format("the inputs of {} differ: {}", call,
                           Called(found, &Call::sizes));
      case Problem::kTypes:
        return fmt::format("the types of the inputs of {} differ: {}", call,
                           Called(found, &Call::types));
      case Problem::kNotStarted:
        return fmt::format(
            "all ranks called {}, but the GPU{} of {} did not begin it: {}",
            call, ranks.size() == 1 ? "" : "s", Ranks(ranks),
            Called(found, &Call::state));
      case Problem::kNotCompleted:
        return fmt::format("all ranks called {}, {}and it ended on none: {}",
                           call,
                           found.missing.empty() ? "their GPUs began it, " : "",
                           Called(found, nullptr));
      case Problem::kNoPartner:
        return fmt::format("{} waits, and {} did not call the other half: {}",
                           Called(found, nullptr), Ranks(found.missing), call);
    }
    return "";
  }

  std::string CircleText(const HangCause& cause) const {
    std::vector<std::string> parts;
    for (const size_t d : cause.divergences) {
      if (parts.size() == kNamedParts) {
        parts.push_back("…");
        break;
      }
      const Divergence& found = all_.first[d];
      parts.push_back(fmt::format("{} waits for {}: {}", CallText(found),
                                  Ranks(found.missing),
                                  Called(found, nullptr)));
    }
    return fmt::format(
        "{} wait for each other in a circle, because they call the groups in "
        "different orders: {}",
        Ranks(cause.ranks), fmt::join(parts, "; "));
  }

  // What the ranks called before they stopped.
  std::string LastCalls(const Divergence& found,
                        const std::vector<int64_t>& ranks) const {
    constexpr size_t kMost = 3;
    int64_t since = -1;
    for (const Divergence::Caller& caller : found.callers) {
      const int64_t created = caller.call->created;
      if (created >= 0 && (since < 0 || created < since)) since = created;
    }
    std::string text;
    for (size_t i = 0; i < std::min(ranks.size(), kMost); ++i) {
      for (size_t d = 0; d < records_.dumps.size(); ++d) {
        if (records_.dumps[d].rank != ranks[i]) continue;
        const Call* const last = all_.last_calls[d];
        if (last == nullptr) {
          text += fmt::format(". The dump of rank {} has no call", ranks[i]);
          break;
        }
        std::string when;
        if (since >= 0 && last->created >= 0) {
          when = fmt::format(
              ", {} {} the others called",
              TimeText(std::abs(static_cast<double>(since) -
                                static_cast<double>(last->created))),
              last->created <= since ? "before" : "after");
        }
        text +=
            fmt::format(". The last call of rank {} was {} of group {}, {}{}{}",
                        ranks[i], last->sequence, records_.Get(last->group),
                        records_.Get(last->operation), At(last->line), when);
        break;
      }
    }
    return text;
  }

  const CollectiveRecords& records_;
  const Divergences& all_;
};

}  // namespace

std::vector<HangCause> FindHangCauses(const Divergences& all) {
  return CauseFinder(all).Find();
}

std::string HangText(const CollectiveRecords& records, const Divergences& all,
                     const HangCause& cause) {
  return HangWriter(records, all).Text(cause);
}

std::string RankList(const std::vector<int64_t>& ranks) {
  std::vector<std::string> parts;
  size_t shown = 0;
  while (shown < ranks.size() && parts.size() < kNamedParts) {
    size_t end = shown + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - shown < 3) end = shown + 1;
    parts.push_back(end - shown == 1
                        ? fmt::format("{}", ranks[shown])
                        : fmt::format("{}-{}", ranks[shown], ranks[end - 1]));
    shown = end;
  }
  return fmt::format("{}{}", fmt::join(parts, ", "),
                     shown == ranks.size()
                         ? ""
                         : fmt::format(" and {} more", ranks.size() - shown));
}

}  // namespace tfprof::timeline
