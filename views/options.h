// ViewOptions: the options of a view, validated and typed.
//
// profiler/options/option_table.cc has their names, defaults and help; this
// file explains their meaning for the views. Defaults are the reference's.

#ifndef TFPROF_VIEWS_OPTIONS_H_
#define TFPROF_VIEWS_OPTIONS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "accounting/node_stats.h"
#include "flops/flops_column.h"
#include "views/field.h"

namespace tfprof::views {

enum class View { kScope, kGraph, kOp, kCode };

// A list of regular expressions that must match a whole name. The list [".*"]
// is a shortcut that matches everything; an empty list matches nothing.
using RegexPatterns = std::vector<std::string>;

struct ViewOptions {
  // kStat with kRunCount is the reference's `occurrence`: it sorts rows of op
  // and code by descending number of nodes, and rows of scope and graph by
  // name.
  enum class Order { kNone, kName, kStat };

  int32_t max_depth = 10;
  // The minimum value of a shown row, by statistic; times are in microseconds.
  std::array<int64_t, accounting::kNumStats> min = {};
  int64_t step = accounting::kAverageOfSteps;  // or kAllSteps, or a step number
  flops::FlopsSource flops = flops::FlopsSource::kOpLog;
  Order order = Order::kName;
  accounting::Stat order_stat = accounting::kMicros;  // when order is kStat
  RegexPatterns account_types = {".*"};
  RegexPatterns start_names = {".*"};
  RegexPatterns trim_names;
  RegexPatterns show_names = {".*"};
  RegexPatterns hide_names;
  bool account_displayed_only = false;
  FieldSet select = [] {
    FieldSet set;
    set.Add(accounting::kMicros);
    return set;
  }();
  // Input shapes belong to the output that the graph names. The reference
  // always uses output 0.
  bool real_output_index = false;
  // In the code view, merge library frames into the row of the program frame
  // that called them. The reference shows all frames.
  bool fold_libraries = false;
};

// Returns the minimum values in the units of Stats: times are in ticks.
std::array<int64_t, accounting::kNumStats> SmallestStats(
    const ViewOptions& options, int64_t ticks_per_micro);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_OPTIONS_H_
