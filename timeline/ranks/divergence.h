// Divergence: where the ranks of a job stopped calling the same collectives.
//
// All members of a group must call the same collectives in the same order.
// From dumps of a flight recorder (profile/tables/collective_records.h), this
// finds for each group the first collective that a member did not call, or that
// members called as different operations or with inputs of different sizes.
// Everything after it is a consequence.
//
// The members of a group are those of its description; without one, the ranks
// that called it. Ranks without a dump are no evidence. Neither is a call that
// a ring buffer may have lost. Two operations count as different only if their
// names are. All-gather and the like may have inputs of different sizes on
// purpose: the caller sees the sizes.

#ifndef TFPROF_TIMELINE_RANKS_DIVERGENCE_H_
#define TFPROF_TIMELINE_RANKS_DIVERGENCE_H_

#include <cstdint>
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
  std::vector<int64_t> absent;  // members without a dump
  int64_t collectives = 0;      // with a call of some rank
};

struct Divergence {
  enum class Problem { kMissingRanks, kOperations, kSizes };
  using RanksOf = std::pair<std::string, std::vector<int64_t>>;

  size_t group = 0;  // an index into Divergences::groups
  int64_t sequence = 0;
  Problem problem = Problem::kMissingRanks;
  std::vector<int64_t> missing;     // ranks with a dump and without the call
  std::vector<RanksOf> operations;  // and the ranks that called them
  std::vector<RanksOf> sizes;
  std::vector<std::string> lines;  // of the user's code, ascending
};

// How late a rank came to its collectives, after the first rank that called.
// The clocks of different hosts may differ.
struct Lateness {
  int64_t collectives = 0;  // that another rank called, too
  int64_t last = 0;         // of them: this rank was the last
  int64_t sum = 0;          // nanoseconds
  int64_t longest = 0;
};

struct Divergences {
  std::vector<CalledGroup> groups;  // by name, then ranks
  std::vector<Divergence> first;    // at most one for each group
  std::vector<Lateness> late;       // of each dump
};

Divergences FindDivergences(const profile::CollectiveRecords& records);

// Returns "missing ranks", "different operations" or "different sizes".
std::string_view ProblemName(Divergence::Problem problem);

// Returns the divergence as a sentence.
std::string DivergenceText(const CalledGroup& group, const Divergence& found);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_DIVERGENCE_H_
