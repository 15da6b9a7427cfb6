// StepList: numbers of steps as a person writes them: "3,5-7,100".
//
// Ranges include both ends. Steps are not negative in such a list, but ids from
// a file may be. Only ParseStepList can fail.

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

// nullopt if `text` is empty or not such a list.
std::optional<StepList> ParseStepList(std::string_view text);

bool Contains(const StepList& list, int64_t step);

std::string FormatStepList(const StepList& list);
// `steps` are ascending; three or more consecutive ones become a range.
std::string FormatSteps(std::span<const int64_t> steps);

}  // namespace tfprof

#endif  // TFPROF_PROFILE_STEP_LIST_H_
