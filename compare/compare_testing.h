// Profiles to compare, for the tests of this folder.

#ifndef TFPROF_COMPARE_COMPARE_TESTING_H_
#define TFPROF_COMPARE_COMPARE_TESTING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "compare/check.h"
#include "compare/rule.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile_builder.h"
#include "views/views.h"

namespace tfprof::compare {

struct Op {
  std::string name;
  std::string type;
  int64_t micros = 0;
  size_t every = 1;  // it runs in the first of so many steps
  bool on_gpu = false;
};

// A profile in which each op runs in each step, unless `every` says less often.
// `wobble` has, for each step, the microseconds added to every op.
inline profile::Profile MakeProfile(const std::vector<Op>& ops,
                                    const std::vector<int64_t>& wobble = {0}) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  for (const Op& op : ops)
    builder.AddNode(op.name, op.type, profile::kNoRecord);
  const profile::LaneId cpu = tensorflow::DeviceLane(
      "/job:a/replica:0/task:0/device:cpu:0", builder.mutable_graph());
  const profile::LaneId gpu =
      tensorflow::DeviceLane("/job:a/replica:0/task:0/device:gpu:0/stream:all",
                             builder.mutable_graph());
  for (size_t step = 0; step < wobble.size(); ++step) {
    std::vector<profile::ExecutionRecord> records;
    int64_t start = 1000;
    for (const Op& op : ops) {
      if (step % op.every != 0) continue;
      const profile::GraphTables& graph = builder.graph();
      const int64_t duration = op.micros + wobble[step];
      records.push_back({.node = graph.nodes.Find(graph.strings.Find(op.name)),
                         .lane = op.on_gpu ? gpu : cpu,
                         .start = start,
                         .duration = duration});
      start += duration;
    }
    builder.AddExecutions(static_cast<int64_t>(step), records, {});
  }
  return std::move(builder).Build();
}

// Two profiles and their views.
struct Two {
  Two(profile::Profile b, profile::Profile a)
      : before_profile(std::move(b)),
        after_profile(std::move(a)),
        before(before_profile),
        after(after_profile) {}
  profile::Profile before_profile, after_profile;
  views::Views before, after;
};

inline CheckRule ParsedRule(std::string_view text) {
  const auto rule = ParseCheckRule(text);
  EXPECT_TRUE(rule.ok()) << rule.status().ToString();
  return rule.ok() ? *rule : CheckRule();
}

inline CheckReport ReportOf(const std::vector<std::string_view>& rules,
                            Two& two, double noise_floor = 0) {
  std::vector<CheckRule> parsed;
  for (const std::string_view rule : rules) parsed.push_back(ParsedRule(rule));
  auto report = Check(parsed, noise_floor, two.before, two.after);
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return report.ok() ? *std::move(report) : CheckReport();
}

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_COMPARE_TESTING_H_
