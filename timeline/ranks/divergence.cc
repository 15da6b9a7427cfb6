#include "timeline/ranks/divergence.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {
namespace {

using profile::CollectiveRecords;
using profile::kNone;
using Text = CollectiveRecords::Text;

constexpr size_t kNamedRanks = 8;

std::string RankList(const std::vector<int64_t>& ranks) {
  const size_t shown =
      ranks.size() <= kNamedRanks ? ranks.size() : kNamedRanks - 1;
  std::string text = fmt::format(
      "{}",
      fmt::join(ranks.begin(),
                ranks.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < ranks.size()) {
    text += fmt::format(" and {} more", ranks.size() - shown);
  }
  return text;
}

class Comparison {
 public:
  explicit Comparison(const CollectiveRecords& records) : records_(records) {}

  Divergences Compare() {
    found_.late.resize(records_.dumps.size());
    MakeGroups();
    SortCalls();
    for (size_t begin = 0; begin < calls_.size();) {
      size_t end = begin;
      while (end < calls_.size() && calls_[end].group == calls_[begin].group) {
        ++end;
      }
      CompareGroup(std::span(calls_).subspan(begin, end - begin));
      begin = end;
    }
    return std::move(found_);
  }

 private:
  struct GroupCall {
    size_t group;
    int64_t sequence;
    int64_t rank;
    const CollectiveRecords::Call* call;
  };

  int64_t RankOf(const CollectiveRecords::Call& call) const {
    return records_.dumps[call.dump].rank;
  }

  // Makes the groups that dumps describe, and those that calls only name.
  void MakeGroups() {
    std::set<int64_t> dumped;
    for (const CollectiveRecords::Dump& dump : records_.dumps) {
      if (dump.rank >= 0) dumped.insert(dump.rank);
    }
    std::map<Text, std::set<int64_t>> callers;
    for (const CollectiveRecords::Call& call : records_.calls) {
      if (RankOf(call) >= 0) callers[call.group].insert(RankOf(call));
    }
    std::map<Text, Text> descriptions;  // of groups whose ranks are unknown
    std::map<std::pair<std::string, std::vector<int64_t>>, Text> named;
    for (const CollectiveRecords::Group& group : records_.groups) {
      if (group.ranks.empty()) {
        descriptions.emplace(group.name, group.description);
      } else if (callers.contains(group.name)) {
        named.emplace(std::pair(records_.Get(group.name), group.ranks),
                      group.description);
      }
    }
    const auto described = named;
    for (const auto& [name, ranks] : callers) {
      std::set<int64_t> rest = ranks;
      for (const CollectiveRecords::Group& group : records_.groups) {
        if (group.name != name) continue;
        for (const int64_t rank : group.ranks) rest.erase(rank);
      }
      // The members are those that called, not only those without a group: a
      // rank may lack the description that others have.
      if (!rest.empty()) {
        const std::vector<int64_t> members(ranks.begin(), ranks.end());
        const auto text = descriptions.find(name);
        named.emplace(std::pair(records_.Get(name), members),
                      text == descriptions.end() ? kNone : text->second);
      }
    }
    for (const auto& [key, description] : named) {
      CalledGroup& group = found_.groups.emplace_back();
      group.name = key.first;
      group.description = records_.Get(description);
      group.ranks = key.second;
      for (const int64_t rank : group.ranks) {
        if (!dumped.contains(rank)) group.absent.push_back(rank);
      }
      described_.push_back(described.contains(key));
    }
    dumped_ = std::move(dumped);
  }

  // Returns the group that a rank means by a name: one with a description, if
  // there is one.
  size_t GroupOf(const std::string& name, int64_t rank) {
    const auto [place, is_new] =
        places_.try_emplace(std::pair(name, rank), found_.groups.size());
    for (size_t g = 0; is_new && g < found_.groups.size(); ++g) {
      const CalledGroup& group = found_.groups[g];
      if (group.name == name &&
          std::binary_search(group.ranks.begin(), group.ranks.end(), rank)) {
        place->second = g;
        if (described_[g]) break;
      }
    }
    return place->second;
  }

  void SortCalls() {
    for (const CollectiveRecords::Call& call : records_.calls) {
      const int64_t rank = RankOf(call);
      if (rank < 0 || call.point_to_point) continue;
      const size_t group = GroupOf(records_.Get(call.group), rank);
      if (group == found_.groups.size()) continue;
      calls_.push_back({group, call.sequence, rank, &call});
    }
    const auto key = [](const GroupCall& call) {
      return std::tie(call.group, call.sequence, call.rank);
    };
    std::stable_sort(calls_.begin(), calls_.end(),
                     [&](const GroupCall& a, const GroupCall& b) {
                       return key(a) < key(b);
                     });
    // Of several calls of a rank with one number, the last one counts.
    size_t kept = 0;
    for (size_t i = 0; i < calls_.size(); ++i) {
      if (i + 1 < calls_.size() && key(calls_[i]) == key(calls_[i + 1])) {
        continue;
      }
      calls_[kept++] = calls_[i];
    }
    calls_.resize(kept);
  }

  void CompareGroup(std::span<const GroupCall> calls) {
    CalledGroup& group = found_.groups[calls[0].group];
    // The ring buffers of these ranks lost what came before.
    std::map<int64_t, int64_t> kept_from;
    for (const CollectiveRecords::Dump& dump : records_.dumps) {
      if (dump.rank >= 0 && dump.overwritten > 0) {
        kept_from[dump.rank] = std::numeric_limits<int64_t>::max();
      }
    }
    for (const GroupCall& call : calls) {
      const auto from = kept_from.find(call.rank);
      if (from != kept_from.end()) {
        from->second = std::min(from->second, call.sequence);
      }
    }
    bool diverged = false;
    for (size_t begin = 0; begin < calls.size();) {
      size_t end = begin;
      while (end < calls.size() &&
             calls[end].sequence == calls[begin].sequence) {
        ++end;
      }
      ++group.collectives;
      const auto same = calls.subspan(begin, end - begin);
      AddLateness(same);
      if (!diverged) diverged = AddDivergence(group, same, kept_from);
      begin = end;
    }
  }

  void AddLateness(std::span<const GroupCall> calls) {
    int64_t first = std::numeric_limits<int64_t>::max(), last = -1;
    size_t timed = 0;
    for (const GroupCall& call : calls) {
      if (call.call->created < 0) continue;
      ++timed;
      first = std::min(first, call.call->created);
      last = std::max(last, call.call->created);
    }
    if (timed < 2) return;
    for (const GroupCall& call : calls) {
      if (call.call->created < 0) continue;
      Lateness& late = found_.late[call.call->dump];
      const int64_t after = call.call->created - first;
      ++late.collectives;
      late.last += call.call->created == last;
      late.sum = util::SaturatingAdd(late.sum, after);
      late.longest = std::max(late.longest, after);
    }
  }

  // Returns whether the ranks diverge in this collective.
  bool AddDivergence(const CalledGroup& group, std::span<const GroupCall> calls,
                     const std::map<int64_t, int64_t>& kept_from) {
    Divergence found{.group = calls[0].group, .sequence = calls[0].sequence};
    std::map<std::string, std::vector<int64_t>> operations, sizes;
    std::set<int64_t> callers;
    std::set<std::string> lines;
    for (const GroupCall& call : calls) {
      callers.insert(call.rank);
      operations[records_.Get(call.call->operation)].push_back(call.rank);
      sizes[records_.Get(call.call->sizes)].push_back(call.rank);
      if (call.call->line != kNone) {
        lines.insert(records_.Get(call.call->line));
      }
    }
    for (const int64_t rank : group.ranks) {
      if (callers.contains(rank) || !dumped_.contains(rank)) continue;
      const auto from = kept_from.find(rank);
      if (from != kept_from.end() && found.sequence < from->second) continue;
      found.missing.push_back(rank);
    }
    if (!found.missing.empty()) {
      found.problem = Divergence::Problem::kMissingRanks;
    } else if (operations.size() > 1) {
      found.problem = Divergence::Problem::kOperations;
    } else if (sizes.size() > 1) {
      found.problem = Divergence::Problem::kSizes;
    } else {
      return false;
    }
    found.operations.assign(operations.begin(), operations.end());
    found.sizes.assign(sizes.begin(), sizes.end());
    found.lines.assign(lines.begin(), lines.end());
    found_.first.push_back(std::move(found));
    return true;
  }

  const CollectiveRecords& records_;
  Divergences found_;
  std::vector<bool> described_;  // of each group
  std::set<int64_t> dumped_;
  std::map<std::pair<std::string, int64_t>, size_t> places_;
  std::vector<GroupCall> calls_;
};

}  // namespace

Divergences FindDivergences(const CollectiveRecords& records) {
  return Comparison(records).Compare();
}

std::string_view ProblemName(Divergence::Problem problem) {
  switch (problem) {
    case Divergence::Problem::kMissingRanks:
      return "missing ranks";
    case Divergence::Problem::kOperations:
      return "different operations";
    case Divergence::Problem::kSizes:
      return "different sizes";
  }
  return "";
}

std::string DivergenceText(const CalledGroup& group, const Divergence& found) {
  const std::string place =
      group.description.empty()
          ? fmt::format("group {}", group.name)
          : fmt::format("group {} ({})", group.name, group.description);
  const auto each = [](const std::vector<Divergence::RanksOf>& all) {
    std::string text;
    for (const auto& [what, ranks] : all) {
      text += fmt::format("{}{} on rank{} {}", text.empty() ? "" : ", ", what,
                          ranks.size() == 1 ? "" : "s", RankList(ranks));
    }
    return text;
  };
  switch (found.problem) {
    case Divergence::Problem::kMissingRanks:
      return fmt::format(
          "rank{} {} did not call collective {} of {}; called: {}",
          found.missing.size() == 1 ? "" : "s", RankList(found.missing),
          found.sequence, place, each(found.operations));
    case Divergence::Problem::kOperations:
      return fmt::format("collective {} of {} differs: {}", found.sequence,
                         place, each(found.operations));
    case Divergence::Problem::kSizes:
      return fmt::format("the inputs of collective {} of {} differ: {}",
                         found.sequence, place, each(found.sizes));
  }
  return "";
}

}  // namespace tfprof::timeline
