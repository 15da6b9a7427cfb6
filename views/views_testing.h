// Helpers for tests of views: reports as lines of text, and small hand-made
// profiles in which each node runs once.

#ifndef TFPROF_VIEWS_VIEWS_TESTING_H_
#define TFPROF_VIEWS_VIEWS_TESTING_H_

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/graph_testing.h"
#include "profile/profile_builder.h"
#include "views/views.h"

namespace tfprof::views {

inline constexpr int32_t kDeep = std::numeric_limits<int32_t>::max();

// Returns each row as "<blanks of its depth>NAME SELF/TOTAL" for one statistic.
inline std::vector<std::string> Rows(
    const Report& report, accounting::Stat stat = accounting::kMicros) {
  std::vector<std::string> rows;
  for (const Report::Row& row : report.rows) {
    rows.push_back(
        fmt::format("{:{}}{} {}/{}", "", row.depth, row.name,
                    row.accounted ? fmt::format("{}", row.self[stat]) : "--",
                    row.total[stat]));
  }
  return rows;
}

// Returns only the names, indented.
inline std::vector<std::string> Names(const Report& report) {
  std::vector<std::string> names;
  for (const Report::Row& row : report.rows) {
    names.push_back(fmt::format("{:{}}{}", "", row.depth, row.name));
  }
  return names;
}

inline ViewOptions OrderBy(accounting::Stat stat) {
  ViewOptions options;
  options.order = ViewOptions::Order::kStat;
  options.order_stat = stat;
  return options;
}

// A hand-made profile: each node has its own op and runs once on a CPU, in step
// 0.
class HandMadeTest : public ::testing::Test {
 protected:
  profile::NodeId Node(std::string_view name,
                       std::initializer_list<std::string_view> inputs = {},
                       int64_t micros = 1) {
    const profile::NodeId n = profile::AddNodeWithInputs(
        builder_, name, "Op_" + std::string(name), inputs, {});
    const profile::LaneId cpu =
        tensorflow::DeviceLane("/cpu:0", builder_.mutable_graph());
    records_.push_back(
        {.node = n, .lane = cpu, .start = 1, .duration = micros});
    return n;
  }
  profile::Profile Build() {
    builder_.AddExecutions(0, records_, {});
    return std::move(builder_).Build();
  }
  std::vector<std::string> Show(View view, const ViewOptions& options = {}) {
    const profile::Profile profile = Build();
    Views views(profile);
    return Rows(views.Show(view, options));
  }

  profile::ProfileBuilder builder_ =
      profile::ProfileBuilder(accounting::TfprofRules());
  std::vector<profile::ExecutionRecord> records_;
};

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_VIEWS_TESTING_H_
