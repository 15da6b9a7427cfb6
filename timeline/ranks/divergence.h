// Divergence: where the ranks of a job stopped calling the same collectives.
//
// All members of a group must call the same collectives in the same order.
// From dumps of a flight recorder (profile/tables/collective_records.h), this
// finds for each group the first collective that a member did not call, that
// members called as different operations or with inputs of different sizes or
// types, or that all members called and none completed. Everything after it in
// the group is a consequence. hang_causes.h says which of them are causes.
//
// The members of a group are those of its description; without one, the ranks
// that called it. Ranks without a dump, or with a damaged one, are no evidence
// that a call is missing, but if all others wait, they are the reason. A call
// that a ring buffer may have lost is no evidence. Two operations count as
// different only if their names are. Operations that exchange lists
// (all_to_all, gather, scatter, …) may have inputs of different sizes.
//
// The state of a call is evidence only if the backend writes it: NCCL does,
// Gloo leaves all calls "scheduled". How far a group came is evidence for both.
//
// A send without the receive of its peer, or the reverse, is found by their
// names ("nccl:send 2->3", in ranks of the group): the first of each pair of
// ranks.

#ifndef TFPROF_TIMELINE_RANKS_DIVERGENCE_H_
#define TFPROF_TIMELINE_RANKS_DIVERGENCE_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/tables/collective_records.h"

namespace tfprof::timeline {

// A group, with the collectives that its members called.
struct CalledGroup {
  std::string name;
  std::string description;      // "": none
  std::vector<int64_t> ranks;   // the members
  std::vector<int64_t> absent;  // members without a dump that is whole
  int64_t collectives = 0;      // with a call of some rank
  int64_t compared = 0;         // with calls of several ranks
};

struct Divergence {
  enum class Problem {
    kMissingRanks,
    kOperations,
    kSizes,
    kTypes,
    kNoDump,        // all ranks with a dump wait for those without one
    kNotStarted,    // the GPUs of some ranks did not begin it
    kNotCompleted,  // all ranks called it, and none completed it
    kNoPartner,     // a send or receive without the other
  };
  struct Caller {
    int64_t rank = 0;
    const profile::CollectiveRecords::Call* call = nullptr;
    bool waits = false;  // it did not complete, as far as the dumps say
  };

  size_t group = 0;  // an index into Divergences::groups
  int64_t sequence = 0;
  Problem problem = Problem::kMissingRanks;
  // The ranks for which the others wait: with a dump and without the call,
  // without a dump, or with a GPU of which nobody saw that it began the call.
  // In ascending order. Empty: all called something, and the ranks alone do not
  // tell.
  std::vector<int64_t> missing;
  std::vector<Caller> callers;  // by rank
};

// How late a rank came to its collectives, after the first rank that called.
// The clocks of different hosts may differ.
struct Lateness {
  int64_t collectives = 0;  // that another rank called, too
  int64_t last = 0;         // of them: this rank was the last
  int64_t sum = 0;          // nanoseconds
  int64_t longest = 0;
  int64_t least = 0;
};

struct Divergences {
  std::vector<CalledGroup> groups;  // by name, then ranks
  // By group; of each at most one that is no send or receive.
  std::vector<Divergence> first;
  std::vector<Lateness> late;  // of each dump
  int64_t compared = 0;        // collectives with calls of several ranks
  // The last call of each dump; nullptr: it has none.
  std::vector<const profile::CollectiveRecords::Call*> last_calls;
};

// The result refers to `records`.
Divergences FindDivergences(const profile::CollectiveRecords& records);

// Returns "missing ranks", "different operations", ….
std::string_view ProblemName(Divergence::Problem problem);

// The callers by what they called: a text and its ranks, ascending.
using RanksOf = std::pair<std::string, std::vector<int64_t>>;
std::vector<RanksOf> CallersBy(
    const profile::CollectiveRecords& records, const Divergence& found,
    profile::CollectiveRecords::Text profile::CollectiveRecords::Call::*text);

// The ranks of all groups that have no dump, or a damaged one.
std::set<int64_t> AbsentRanks(const profile::CollectiveRecords& records,
                              const Divergences& found);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_DIVERGENCE_H_
