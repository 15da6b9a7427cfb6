// StepList: numbers of steps as a person writes them: "3,5-7,100".
//
// Ranges include both their ends. Steps are not negative in such a list; ids
// from a file may be. Pure values; ParseStepList is the one that can fail.

#ifndef TFPROF_PROFILE_STEP_LIST_H_
#define TFPROF_PROFILE_STEP_LIST_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

struct StepRange {
  int64_t first = 0;
  int64_t last = 0;
  friend bool operator==(const StepRange&, const StepRange&) = default;
};

using StepList = std::vector<StepRange>;

// nullopt: not such a list, or an empty one.
std::optional<StepList> ParseStepList(std::string_view text);

bool Contains(const StepList& list, int64_t step);

std::string FormatStepList(const StepList& list);
// Of single steps in ascending order: three or more in a row are a range.
std::string FormatSteps(std::span<const int64_t> steps);

}  // namespace tfprof

#endif  // TFPROF_PROFILE_STEP_LIST_H_
