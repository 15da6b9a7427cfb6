#include "timeline/ranks/divergence.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

#include "re2/re2.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {
namespace {

using profile::CollectiveRecords;
using profile::kNone;
using Text = CollectiveRecords::Text;

// Returns whether members may have inputs of different sizes.
bool MayDiffer(std::string_view operation) {
  operation.remove_prefix(std::min(operation.find(':') + 1, operation.size()));
  return operation == "gather" || operation == "scatter" ||
         operation == "all_gather" || operation == "reduce_scatter" ||
         operation.find("to_all") != operation.npos ||
         operation.find("alltoall") != operation.npos;
}

// A send or receive, in ranks of its group.
struct Transfer {
  bool is_send = false;
  int64_t from = 0, to = 0;
};

std::optional<Transfer> TransferOf(const std::string& operation) {
  static const RE2* const names =
      new RE2(R"((?:.*:)?(send|recv) (\d{1,9})(?:->|<-)(\d{1,9}))");
  std::string kind;
  Transfer found;
  if (!RE2::FullMatch(operation, *names, &kind, &found.from, &found.to)) {
    return std::nullopt;
  }
  found.is_send = kind == "send";
  if (!found.is_send) std::swap(found.from, found.to);
  return found;
}

class Comparison {
 public:
  explicit Comparison(const CollectiveRecords& records) : records_(records) {}

  Divergences Compare() {
    found_.late.resize(records_.dumps.size());
    ReadDumps();
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
    PairTransfers();
    std::stable_sort(found_.first.begin(), found_.first.end(),
                     [](const Divergence& a, const Divergence& b) {
                       return a.group < b.group;
                     });
    return std::move(found_);
  }

 private:
  struct GroupCall {
    size_t group;
    int64_t sequence;
    // How many calls of the rank with this number follow. The last of them is
    // always there, while a ring buffer may have lost the first.
    int64_t following;
    int64_t rank;
    const CollectiveRecords::Call* call;
  };
  using GroupCalls = std::span<const GroupCall>;

  int64_t RankOf(const CollectiveRecords::Call& call) const {
    return records_.dumps[call.dump].rank;
  }

  bool Completed(const CollectiveRecords::Call& call) const {
    if (records_.Get(call.state) == "completed") return true;
    if (call.point_to_point) return false;
    const auto came = completed_.find({call.dump, call.group});
    return came != completed_.end() && came->second >= call.sequence;
  }

  // Returns whether the dump tells that the call did not complete.
  bool IsKnownToWait(const CollectiveRecords::Call& call) const {
    if (Completed(call)) return false;
    return (writes_states_[call.dump] && call.state != kNone) ||
           completed_.contains({call.dump, call.group});
  }

  // Learns what all calls of a dump tell together.
  void ReadDumps() {
    found_.last_calls.resize(records_.dumps.size());
    writes_states_.resize(records_.dumps.size());
    for (const CollectiveRecords::Call& call : records_.calls) {
      const std::string& state = records_.Get(call.state);
      if (state == "started" || state == "completed" ||
          records_.Get(call.operation).starts_with("nccl:")) {
        writes_states_[call.dump] = true;
      }
      found_.last_calls[call.dump] = &call;
    }
    for (const CollectiveRecords::Progress& row : records_.progress) {
      completed_[{row.dump, row.group}] = row.completed;
    }
  }

  // Makes the groups that dumps describe, and those that calls only name.
  void MakeGroups() {
    std::set<int64_t> dumped;
    for (const CollectiveRecords::Dump& dump : records_.dumps) {
      if (dump.rank < 0 || dump.damaged) continue;
      dumped.insert(dump.rank);
      if (dump.overwritten > 0) overwritten_.insert(dump.rank);
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
    // From the last call to the first, to count those that follow.
    std::map<std::tuple<size_t, int64_t, int64_t>, int64_t> following;
    for (size_t i = records_.calls.size(); i-- > 0;) {
      const CollectiveRecords::Call& call = records_.calls[i];
      const int64_t rank = RankOf(call);
      if (rank < 0 || call.point_to_point) continue;
      const size_t group = GroupOf(records_.Get(call.group), rank);
      if (group == found_.groups.size()) continue;
      const int64_t later = following[{group, call.sequence, rank}]++;
      calls_.push_back({group, call.sequence, later, rank, &call});
    }
    std::sort(calls_.begin(), calls_.end(),
              [](const GroupCall& a, const GroupCall& b) {
                return std::tie(a.group, a.sequence, b.following, a.rank) <
                       std::tie(b.group, b.sequence, a.following, b.rank);
              });
  }

  // Takes the calls that are alike by `key` off the start of `calls`.
  template <typename Key>
  static GroupCalls TakeAlike(GroupCalls& calls, Key GroupCall::*key) {
    size_t end = 1;
    while (end < calls.size() && calls[end].*key == calls[0].*key) ++end;
    const GroupCalls taken = calls.first(end);
    calls = calls.subspan(end);
    return taken;
  }

  void CompareGroup(GroupCalls calls) {
    CalledGroup& group = found_.groups[calls[0].group];
    // The ring buffers of these ranks lost what came before.
    std::map<int64_t, int64_t> kept_from;
    for (const int64_t rank : group.ranks) {
      if (overwritten_.contains(rank)) {
        kept_from[rank] = std::numeric_limits<int64_t>::max();
      }
    }
    for (const GroupCall& call : calls) {
      const auto from = kept_from.find(call.rank);
      if (from != kept_from.end()) {
        from->second = std::min(from->second, call.sequence);
      }
    }
    bool diverged = false;
    while (!calls.empty()) {
      GroupCalls rest = TakeAlike(calls, &GroupCall::sequence);
      std::vector<GroupCalls> parts;  // the last has a call of each caller
      while (!rest.empty()) {
        parts.push_back(TakeAlike(rest, &GroupCall::following));
      }
      ++group.collectives;
      if (parts.back().size() > 1) {
        ++group.compared;
        ++found_.compared;
      }
      AddLateness(parts.back());
      if (!diverged) diverged = AddDivergence(group, parts, kept_from);
    }
  }

  void AddLateness(GroupCalls calls) {
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
      late.least = late.collectives == 0 ? after : std::min(late.least, after);
      ++late.collectives;
      late.last += after > 0 && call.call->created == last;
      late.sum = util::SaturatingAdd(late.sum, after);
      late.longest = std::max(late.longest, after);
    }
  }

  using KeptFrom = std::map<int64_t, int64_t>;

  // Returns whether the ranks diverge in this collective.
  bool AddDivergence(const CalledGroup& group,
                     const std::vector<GroupCalls>& parts,
                     const KeptFrom& kept_from) {
    const GroupCalls callers = parts.back();
    const auto add = [&](Divergence::Problem problem, GroupCalls calls,
                         std::vector<int64_t> missing) {
      Divergence& found =
          found_.first.emplace_back(Divergence{.group = calls[0].group,
                                               .sequence = calls[0].sequence,
                                               .problem = problem,
                                               .missing = std::move(missing)});
      for (const GroupCall& call : calls) {
        found.callers.push_back({call.rank, call.call, !Completed(*call.call)});
      }
      return true;
    };
    using enum Divergence::Problem;
    std::vector<int64_t> missing = Missing(group.ranks, callers, kept_from);
    if (!missing.empty()) return add(kMissingRanks, callers, missing);
    for (const GroupCalls part : parts) {
      if (part.size() < callers.size()) {
        missing = Missing(RanksOfCalls(callers), part, kept_from);
        if (!missing.empty()) return add(kOperations, part, missing);
      }
      if (Differ(part, &CollectiveRecords::Call::operation)) {
        return add(kOperations, part, {});
      }
      if (Differ(part, &CollectiveRecords::Call::sizes) &&
          !MayDiffer(records_.Get(part[0].call->operation))) {
        return add(kSizes, part, {});
      }
      if (Differ(part, &CollectiveRecords::Call::types)) {
        return add(kTypes, part, {});
      }
    }
    bool wait = true, states = true;
    std::vector<int64_t> not_started;
    for (const GroupCall& call : callers) {
      wait &= IsKnownToWait(*call.call);
      states &= writes_states_[call.call->dump];
      if (records_.Get(call.call->state) == "scheduled") {
        not_started.push_back(call.rank);
      }
    }
    if (!wait) return false;
    missing.clear();
    for (const int64_t rank : group.absent) {
      const auto called = std::lower_bound(
          callers.begin(), callers.end(), rank,
          [](const GroupCall& a, int64_t b) { return a.rank < b; });
      if (called == callers.end() || called->rank != rank) {
        missing.push_back(rank);
      }
    }
    if (!missing.empty()) return add(kNoDump, callers, missing);
    if (!states || callers.size() < 2) return false;
    // Without TORCH_NCCL_ENABLE_TIMING, a call is never "started".
    return add(!not_started.empty() && not_started.size() < callers.size()
                   ? kNotStarted
                   : kNotCompleted,
               callers, not_started);
  }

  static std::vector<int64_t> RanksOfCalls(GroupCalls calls) {
    std::vector<int64_t> ranks;
    ranks.reserve(calls.size());
    for (const GroupCall& call : calls) ranks.push_back(call.rank);
    return ranks;
  }

  // Returns those of `ranks` that have a dump and none of the `calls`, both by
  // rank. The first call that a ring buffer kept may have lost its first parts.
  std::vector<int64_t> Missing(const std::vector<int64_t>& ranks,
                               GroupCalls calls,
                               const KeptFrom& kept_from) const {
    std::vector<int64_t> missing;
    size_t c = 0;
    for (const int64_t rank : ranks) {
      while (c < calls.size() && calls[c].rank < rank) ++c;
      if (c < calls.size() && calls[c].rank == rank) continue;
      if (!dumped_.contains(rank)) continue;
      const auto from = kept_from.find(rank);
      if (from != kept_from.end() && calls[0].sequence <= from->second &&
          (calls[0].sequence < from->second || calls[0].following > 0)) {
        continue;
      }
      missing.push_back(rank);
    }
    return missing;
  }

  // A call without a text is no evidence.
  static bool Differ(GroupCalls calls, Text CollectiveRecords::Call::*text) {
    Text known = kNone;
    for (const GroupCall& call : calls) {
      if (call.call->*text == kNone) continue;
      if (known != kNone && call.call->*text != known) return true;
      known = call.call->*text;
    }
    return false;
  }

  // Finds sends that wait for a receive, and receives that wait for a send.
  void PairTransfers() {
    struct Side {
      int64_t count = 0;
      // The first that waits, and its place among all.
      const CollectiveRecords::Call* waits = nullptr;
      int64_t place = 0;
    };
    // By group and ranks: of the sender, of the receiver.
    std::map<std::tuple<size_t, int64_t, int64_t>, std::array<Side, 2>> pairs;
    for (const CollectiveRecords::Call& call : records_.calls) {
      const int64_t rank = RankOf(call);
      if (rank < 0 || !call.point_to_point) continue;
      const size_t g = GroupOf(records_.Get(call.group), rank);
      const auto transfer = TransferOf(records_.Get(call.operation));
      if (g == found_.groups.size() || !transfer) continue;
      const std::vector<int64_t>& ranks = found_.groups[g].ranks;
      const auto size = static_cast<int64_t>(ranks.size());
      if (transfer->from >= size || transfer->to >= size) continue;
      const int64_t from = ranks[static_cast<size_t>(transfer->from)];
      const int64_t to = ranks[static_cast<size_t>(transfer->to)];
      if ((transfer->is_send ? from : to) != rank) continue;
      Side& side = pairs[{g, from, to}][transfer->is_send ? 0 : 1];
      if (side.waits == nullptr && writes_states_[call.dump] &&
          !Completed(call)) {
        side.waits = &call;
        side.place = side.count;
      }
      ++side.count;
    }
    for (const auto& [key, sides] : pairs) {
      const auto& [group, from, to] = key;
      const bool exact =
          !overwritten_.contains(from) && !overwritten_.contains(to);
      for (const size_t s : {0, 1}) {
        const Side& mine = sides[s];
        const Side& other = sides[1 - s];
        const int64_t rank = s == 0 ? from : to, peer = s == 0 ? to : from;
        // If no call was lost, the calls of both ranks are counted from the
        // first on. Otherwise the other rank must wait, too.
        if (mine.waits == nullptr || !dumped_.contains(peer) ||
            (exact ? mine.place < other.count : other.waits != nullptr)) {
          continue;
        }
        found_.first.push_back(
            {.group = group,
             .sequence = mine.waits->sequence,
             .problem = Divergence::Problem::kNoPartner,
             .missing = {peer},
             .callers = {{rank, mine.waits, /*waits=*/true}}});
      }
    }
  }

  const CollectiveRecords& records_;
  Divergences found_;
  std::vector<bool> described_;  // of each group
  std::set<int64_t> dumped_;
  std::set<int64_t> overwritten_;    // ranks whose ring buffer lost calls
  std::vector<bool> writes_states_;  // of each dump
  // How far a dump says that a group came.
  std::map<std::pair<uint32_t, Text>, int64_t> completed_;
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
    case Divergence::Problem::kTypes:
      return "different types";
    case Divergence::Problem::kNoDump:
      return "no dump";
    case Divergence::Problem::kNotStarted:
      return "not started";
    case Divergence::Problem::kNotCompleted:
      return "not completed";
    case Divergence::Problem::kNoPartner:
      return "no partner";
  }
  return "";
}

std::vector<RanksOf> CallersBy(const CollectiveRecords& records,
                               const Divergence& found,
                               Text CollectiveRecords::Call::*text) {
  std::map<std::string, std::vector<int64_t>> ranks;
  for (const Divergence::Caller& caller : found.callers) {
    ranks[records.Get(caller.call->*text)].push_back(caller.rank);
  }
  return {ranks.begin(), ranks.end()};
}

std::set<int64_t> AbsentRanks(const CollectiveRecords& records,
                              const Divergences& found) {
  std::set<int64_t> absent;
  for (const CalledGroup& group : found.groups) {
    absent.insert(group.absent.begin(), group.absent.end());
  }
  for (const CollectiveRecords::Group& group : records.groups) {
    absent.insert(group.ranks.begin(), group.ranks.end());
  }
  for (const CollectiveRecords::Dump& dump : records.dumps) {
    if (!dump.damaged) {
      absent.erase(dump.rank);
    } else if (dump.rank >= 0) {
      absent.insert(dump.rank);
    }
  }
  return absent;
}

}  // namespace tfprof::timeline
