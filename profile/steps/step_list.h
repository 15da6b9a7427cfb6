// StepList: step numbers in the notation "3,5-7,100".
//
// Ranges include both ends. Such a list has no negative numbers, although step
// ids in a file may be negative. Only ParseStepList can fail.

#ifndef TFPROF_PROFILE_STEPS_STEP_LIST_H_
#define TFPROF_PROFILE_STEPS_STEP_LIST_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::profile {

struct StepRange {
  int64_t first = 0;
  int64_t last = 0;
  friend bool operator==(const StepRange&, const StepRange&) = default;
};

using StepList = std::vector<StepRange>;

// Returns nullopt if `text` is empty or not a valid list.
std::optional<StepList> ParseStepList(std::string_view text);

bool Contains(const StepList& list, int64_t step);

std::string FormatStepList(const StepList& list);
// `steps` must be ascending; three or more consecutive ones become a range.
std::string FormatSteps(std::span<const int64_t> steps);

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_STEPS_STEP_LIST_H_
