// ViewOptions: what a person asked of a view, checked and typed.
//
// The names, defaults and help of these options are in profiler/options.cc;
// here is what they mean to the views. Defaults are the reference's.

#ifndef TFPROF_VIEWS_OPTIONS_H_
#define TFPROF_VIEWS_OPTIONS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "accounting/statistics.h"
#include "flops/flops_column.h"

namespace tfprof {

enum class View { kScope, kGraph, kOp, kCode };

// A column of a report (`-select`). In the order in which the reference walks
// a selection: by name.
enum class Field {
  kAcceleratorMicros,
  kBytes,
  kCpuMicros,
  kDevice,
  kFloatOps,
  kInputShapes,
  kMicros,
  kOccurrence,
  kOpTypes,
  kOutputBytes,
  kParams,
  kPeakBytes,
  kResidualBytes,
  kTensorValue,
};
inline constexpr int kNumFields = 14;

class FieldSet {
 public:
  void Add(Field field) { bits_ |= 1u << static_cast<int>(field); }
  bool Has(Field field) const { return bits_ >> static_cast<int>(field) & 1; }
  int size() const { return __builtin_popcount(bits_); }
  friend bool operator==(FieldSet, FieldSet) = default;

 private:
  uint32_t bits_ = 0;
};

// A list of regular expressions, anchored at both ends where they are used.
// Exactly [".*"] is a shortcut that matches everything, an empty list matches
// nothing.
using RegexPatterns = std::vector<std::string>;

struct ViewOptions {
  enum class Order { kNone, kName, kStat, kOccurrence };

  int32_t max_depth = 10;
  // Smallest value of a shown row, by statistic; kRunCount is -min_occurrence.
  std::array<int64_t, kNumStats> min = {};
  int64_t step = -1;  // negative: the average over steps
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
    set.Add(Field::kMicros);
    return set;
  }();
  // Input shapes of the output that the graph names, not of output 0 as the
  // reference sees it.
  bool real_output_index = false;
};

}  // namespace tfprof

#endif  // TFPROF_VIEWS_OPTIONS_H_
