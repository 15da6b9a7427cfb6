// A CheckReport for its readers.
//
//   CheckText      for a person: rules, the rows that matter, what changed most
//   CheckJson      all of it as data, described in g3doc/compare.md
//   CheckMarkdown  for a comment on a change: two tables
//   CheckTable     a row for each rule and row, in the words of the text
//   CheckData      the same rows as numbers, for csv and ndjson
//
// Times are in µs, memory in bytes; names are made harmless where a person
// reads them (safe_text.h).

#ifndef TFPROF_COMPARE_CHECK_TEXT_H_
#define TFPROF_COMPARE_CHECK_TEXT_H_

#include <string>
#include <string_view>

#include "compare/check.h"
#include "tables/data_table.h"
#include "tables/data_writers.h"

namespace tfprof {

std::string CheckText(const CheckReport& report);
std::string CheckJson(const CheckReport& report);
// `limits` are for each of its tables.
std::string CheckMarkdown(const CheckReport& report,
                          const MarkdownLimits& limits = {});

// `report` must outlive the tables.
DataTable CheckTable(const CheckReport& report);
DataTable CheckData(const CheckReport& report);

// "1.20ms -> 1.44ms, +240us (+20.0%), noise 31us": what a row took, in words.
std::string DescribeChange(const Measured& measured, Unit unit);

// "2 rules failed, 1 within noise, 3 passed."
std::string CheckSummary(const CheckReport& report);

}  // namespace tfprof

#endif  // TFPROF_COMPARE_CHECK_TEXT_H_
