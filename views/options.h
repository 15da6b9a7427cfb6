// ViewOptions: the options of a view, checked and typed.
//
// Their names, defaults and help are in profiler/options/options.cc; this file
// says what they mean for the views. Defaults are the reference's.

#ifndef TFPROF_VIEWS_OPTIONS_H_
#define TFPROF_VIEWS_OPTIONS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "accounting/node_stats.h"
#include "flops/flops_column.h"
#include "views/field.h"

namespace tfprof {

enum class View { kScope, kGraph, kOp, kCode };

// A list of regular expressions, anchored at both ends where they are used.
// Exactly [".*"] is a shortcut that matches everything, an empty list matches
// nothing.
using RegexPatterns = std::vector<std::string>;

struct ViewOptions {
  // kStat with kRunCount is the reference's `occurrence`: rows of op and code
  // with the most nodes come first, and scope and graph are sorted by name.
  enum class Order { kNone, kName, kStat };

  int32_t max_depth = 10;
  // Smallest value of a shown row, by statistic; times in microseconds.
  std::array<int64_t, kNumStats> min = {};
  int64_t step = kAverageOfSteps;  // or kAllSteps, or the number of a step
  FlopsSource flops = FlopsSource::kOpLog;
  Order order = Order::kName;
  Stat order_stat = kMicros;  // when order is kStat
  RegexPatterns account_types = {".*"};
  RegexPatterns start_names = {".*"};
  RegexPatterns trim_names;
  RegexPatterns show_names = {".*"};
  RegexPatterns hide_names;
  bool account_displayed_only = false;
  FieldSet select = [] {
    FieldSet set;
    set.Add(kMicros);
    return set;
  }();
  // Input shapes are those of the output that the graph names. The reference
  // always uses output 0.
  bool real_output_index = false;
  // In code, frames of libraries are part of the frame that called them, if one
  // that is not of a library did. For people; the reference shows all.
  bool fold_libraries = false;
};

// The smallest values in the units of Stats: times in ticks.
std::array<int64_t, kNumStats> SmallestStats(const ViewOptions& options,
                                             int64_t ticks_per_micro);

}  // namespace tfprof

#endif  // TFPROF_VIEWS_OPTIONS_H_
