// A CheckReport in words, for a person: rules, the rows that matter, and the
// largest changes. check_answer.h has it as tables.
//
// Times are in µs, memory in bytes; unsafe characters in names are replaced
// (safe_text.h).

#ifndef TFPROF_COMPARE_CHECK_TEXT_H_
#define TFPROF_COMPARE_CHECK_TEXT_H_

#include <string>
#include <string_view>

#include "compare/check.h"
#include "tables/data_table.h"

namespace tfprof::compare {

std::string CheckText(const CheckReport& report);

// Titles of the lists of changes.
inline constexpr std::string_view kWallsTitle = "Wall time of a step";
inline constexpr std::string_view kOpsTitle =
    "Operation types that changed most";
inline constexpr std::string_view kNodesTitle = "Nodes that changed most";

// Describes a change in words: "1.20ms -> 1.44ms, +240us (+20.0%), noise 31us".
std::string DescribeChange(const Measured& measured, util::Unit unit);

// "2 rules failed, 1 within noise, 3 passed."
std::string CheckSummary(const CheckReport& report);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_CHECK_TEXT_H_
