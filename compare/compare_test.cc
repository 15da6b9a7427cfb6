// Tests of comparing: matching, differences, rules, noise, and the check.

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "compare/check.h"
#include "compare/check_text.h"
#include "compare/diff.h"
#include "compare/diff_table.h"
#include "compare/junit.h"
#include "compare/match.h"
#include "compare/noise.h"
#include "compare/rule.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile_builder.h"
#include "views/views.h"

namespace tfprof {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// ------------------------------------------------------------------- matching

TEST(NormalizedNameTest, DropsWhatDiffersFromRunToRun) {
  EXPECT_EQ(NormalizedName("MatMul"), "MatMul");
  EXPECT_EQ(NormalizedName("MatMul_12"), "MatMul");
  EXPECT_EQ(NormalizedName("tower_1/dense_12/MatMul_1"), "tower/dense/MatMul");
  EXPECT_EQ(NormalizedName("cluster_3_1"), "cluster");
  EXPECT_EQ(NormalizedName("/job:worker/task:3/device:GPU:1"),
            "/job:worker/task/device:GPU");
  EXPECT_EQ(NormalizedName("Conv2D"), "Conv2D");
  EXPECT_EQ(NormalizedName("v2"), "v2");
  // Nothing but a number keeps it.
  EXPECT_EQ(NormalizedName("a/_1/b"), "a/_1/b");
  EXPECT_EQ(NormalizedName("12"), "12");
  EXPECT_EQ(NormalizedName(""), "");
  EXPECT_EQ(NormalizedName("a//b_1/"), "a//b/");
}

// "old=new" of each match, in the order of `after`.
std::vector<std::string> Pairs(const std::vector<std::string_view>& before,
                               const std::vector<std::string_view>& after) {
  const Matching matching = MatchNames(before, after);
  std::vector<std::string> pairs;
  for (size_t i = 0; i < after.size(); ++i) {
    const uint32_t old = matching.before_of[i];
    if (old == kNone) continue;
    EXPECT_EQ(matching.after_of[old], i);
    pairs.push_back(fmt::format("{}={}", before[old], after[i]));
  }
  return pairs;
}

TEST(MatchNamesTest, EqualNamesFirst) {
  EXPECT_THAT(Pairs({"a", "a_1", "b"}, {"a_1", "a_2", "c"}),
              ElementsAre("a_1=a_1", "a=a_2"));
  EXPECT_THAT(Pairs({}, {"a"}), IsEmpty());
  EXPECT_THAT(Pairs({"a"}, {}), IsEmpty());
}

TEST(MatchNamesTest, NaturalOrderDecidesAmongEqualNormalisedNames) {
  // Whatever the order of the rows.
  EXPECT_THAT(Pairs({"x_10", "x_2"}, {"x_3", "x_11"}),
              ElementsAre("x_2=x_3", "x_10=x_11"));
  EXPECT_THAT(Pairs({"x_2", "x_10"}, {"x_11", "x_3"}),
              ElementsAre("x_10=x_11", "x_2=x_3"));
  EXPECT_THAT(Pairs({"x_1", "x_2", "x_3"}, {"x_7"}), ElementsAre("x_1=x_7"));
}

TEST(MatchNamesTest, ANameThatIsThereTwice) {
  EXPECT_THAT(Pairs({"a", "a"}, {"a", "a", "a"}), ElementsAre("a=a", "a=a"));
}

std::vector<int> LinesMatched(const std::vector<CodeLine>& before,
                              const std::vector<CodeLine>& after) {
  std::vector<int> lines;
  for (const uint32_t old : MatchCode(before, after).before_of) {
    lines.push_back(old == kNone ? -1 : before[old].line);
  }
  return lines;
}

CodeLine Code(std::string_view function, int line, std::string_view text = "") {
  static auto& names = *new std::set<std::string>;
  const std::string name = fmt::format("m.py:{}:{}", line, function);
  return {.name = *names.insert(name).first,
          .file = "m.py",
          .function = function,
          .text = text,
          .line = line};
}

TEST(MatchCodeTest, NearestLinesOfAFunctionFirst) {
  EXPECT_THAT(LinesMatched({Code("f", 10), Code("f", 20)},
                           {Code("f", 21), Code("f", 12)}),
              ElementsAre(20, 10));
  // 14 is nearest to 15, which leaves 10 for 30.
  EXPECT_THAT(LinesMatched({Code("f", 10), Code("f", 15)},
                           {Code("f", 14), Code("f", 30)}),
              ElementsAre(15, 10));
  EXPECT_THAT(LinesMatched({Code("f", 10)}, {Code("g", 10)}), ElementsAre(-1));
  EXPECT_THAT(LinesMatched({Code("f", INT32_MIN)}, {Code("f", INT32_MAX)}),
              ElementsAre(INT32_MIN));
}

TEST(MatchCodeTest, WhatALineSaysIsStrongerThanItsPlace) {
  EXPECT_THAT(LinesMatched({Code("f", 12, "a = 1"), Code("f", 13, "b = 2")},
                           {Code("f", 13, "a = 1"), Code("f", 14, "b = 2")}),
              ElementsAre(12, 13));
}

// ---------------------------------------------------------------------- rules

CheckRule Parsed(std::string_view text) {
  const auto rule = ParseCheckRule(text);
  EXPECT_TRUE(rule.ok()) << rule.status().ToString();
  return rule.ok() ? *rule : CheckRule();
}

TEST(ParseCheckRuleTest, Parts) {
  const CheckRule rule = Parsed(" op:Conv2D.*.micros >= +5% ");
  EXPECT_EQ(rule.text, "op:Conv2D.*.micros >= +5%");
  EXPECT_EQ(rule.scope, CheckRule::Scope::kView);
  EXPECT_EQ(rule.view, View::kOp);
  EXPECT_EQ(rule.name, "Conv2D.*");
  EXPECT_EQ(rule.field, "micros");
  EXPECT_EQ(rule.stat, kMicros);
  EXPECT_EQ(rule.compare, CheckRule::Compare::kAtLeast);
  EXPECT_EQ(rule.against, CheckRule::Against::kChangeShare);
  EXPECT_DOUBLE_EQ(rule.number, 0.05);
}

TEST(ParseCheckRuleTest, ASignMakesAChange) {
  EXPECT_EQ(Parsed("total.micros>5ms").against, CheckRule::Against::kValue);
  EXPECT_EQ(Parsed("total.micros > +5ms").against, CheckRule::Against::kChange);
  EXPECT_EQ(Parsed("total.micros > 5%").against,
            CheckRule::Against::kChangeShare);
  EXPECT_DOUBLE_EQ(Parsed("total.micros < -1.5 s").number, -1500000);
  EXPECT_DOUBLE_EQ(Parsed("total.peak_bytes > 2GB").number, 2e9);
  EXPECT_DOUBLE_EQ(Parsed("total.params > +0").number, 0);
}

TEST(ParseCheckRuleTest, NamesMayHoldAnything) {
  EXPECT_EQ(Parsed("scope:a.b/c:0.bytes > 1").name, "a.b/c:0");
  EXPECT_EQ(Parsed("code:m.py:12:(?P<f>x y).*.micros > 1").name,
            "m.py:12:(?P<f>x y).*");
  EXPECT_EQ(Parsed("op:total.micros > 1").name, "total");
}

TEST(ParseCheckRuleTest, Spans) {
  EXPECT_TRUE(Parsed("step.span_micros > +10%").span);
  EXPECT_FALSE(Parsed("step.micros > +10%").span);
}

// "column N: what".
std::string ErrorOf(std::string_view text) {
  const auto rule = ParseCheckRule(text);
  EXPECT_FALSE(rule.ok()) << text;
  if (rule.ok()) return "";
  EXPECT_TRUE(absl::IsInvalidArgument(rule.status()));
  return std::string(rule.status().message());
}

TEST(ParseCheckRuleTest, ErrorsPointToTheColumn) {
  EXPECT_EQ(ErrorOf("op:MatMul.micro > +5%"),
            "column 11: 'micro' is no field; there are micros, "
            "accelerator_micros, cpu_micros, bytes, peak_bytes, "
            "residual_bytes, output_bytes, params, float_ops, runs and "
            "step.span_micros\n"
            "  op:MatMul.micro > +5%\n"
            "            ^");
  EXPECT_THAT(ErrorOf(""), StartsWith("column 1: an operator is missing"));
  EXPECT_THAT(ErrorOf("total.micros"),
              StartsWith("column 13: an operator is missing"));
  EXPECT_THAT(ErrorOf("> 5"), StartsWith("column 1: a row is missing"));
  EXPECT_THAT(ErrorOf("ops:x.micros > 5"),
              StartsWith("column 1: 'ops' is none of op, scope, graph, code"));
  EXPECT_THAT(ErrorOf("op.micros > 5"),
              StartsWith("column 3: a name is missing"));
  EXPECT_THAT(ErrorOf("op:.micros > 5"),
              StartsWith("column 4: the name is empty"));
  EXPECT_THAT(ErrorOf("op:MatMul > 5"),
              StartsWith("column 10: a field is missing"));
  EXPECT_THAT(ErrorOf("total:x.micros > 5"),
              StartsWith("column 6: total has no names"));
  EXPECT_THAT(ErrorOf("op:a(b.micros > 5"),
              StartsWith("column 4: 'a(b' is no regular expression"));
  EXPECT_THAT(ErrorOf("op:x.span_micros > 5"),
              StartsWith("column 6: only a step has span_micros"));
  EXPECT_THAT(ErrorOf("total.micros > "),
              StartsWith("column 16: a number is missing"));
  EXPECT_THAT(ErrorOf("total.micros > +inf"),
              StartsWith("column 17: a number is missing"));
  EXPECT_THAT(ErrorOf("total.micros > --5"),
              StartsWith("column 17: a number is missing"));
  EXPECT_THAT(ErrorOf("total.micros > 5m"),
              StartsWith("column 17: 'm' is no unit"));
  EXPECT_THAT(ErrorOf("total.micros > 5GB"),
              StartsWith("column 17: micros is not in GB"));
  // A character is a column.
  EXPECT_THAT(ErrorOf("op:äö.micro > 5"), StartsWith("column 7: 'micro'"));
}

TEST(ParseCheckRulesTest, LinesOfAFile) {
  const auto rules = ParseCheckRules(
      "# times\n\n  total.micros > +5%\r\ntotal.bytes > 1KB", "f");
  ASSERT_TRUE(rules.ok());
  ASSERT_EQ(rules->size(), 2);
  EXPECT_EQ((*rules)[1].text, "total.bytes > 1KB");
  const auto wrong = ParseCheckRules("total.micros > 1\nx\n", "rules.txt");
  EXPECT_THAT(std::string(wrong.status().message()),
              StartsWith("rules.txt: line 2, column 2: an operator"));
}

// ---------------------------------------------------------------------- noise

TEST(NoiseTest, Spread) {
  // One outlier does not count.
  EXPECT_DOUBLE_EQ(Spread({8, 9, 10, 11, 1000}), 1.4826);
  // Most are equal.
  EXPECT_DOUBLE_EQ(Spread({10, 10, 10, 14}), 1.2533);
  EXPECT_EQ(Spread({10, 10, 10}), 0);
}

TEST(NoiseTest, StudentTMeetsTheTables) {
  EXPECT_NEAR(StudentT(1, 0.01), 63.657, 0.001);
  EXPECT_NEAR(StudentT(2, 0.01), 9.925, 0.001);
  EXPECT_NEAR(StudentT(3, 0.01), 5.841, 0.001);
  EXPECT_NEAR(StudentT(10, 0.01), 3.169, 0.001);
  EXPECT_NEAR(StudentT(11, 0.05), 2.201, 0.001);
  EXPECT_NEAR(StudentT(30, 0.001), 3.646, 0.001);
  EXPECT_NEAR(StudentT(1000000, 0.01), 2.581, 0.001);
  EXPECT_GT(StudentT(1, 1e-12), 1e8);
}

std::optional<double> NoiseOf(const std::vector<double>& before,
                              const std::vector<double>& after,
                              size_t rows = 1) {
  return NoiseModel(rows).OfDifference(before, after);
}

TEST(NoiseTest, NeedsThreeSteps) {
  EXPECT_EQ(NoiseOf({1, 2}, {1, 2, 3}), std::nullopt);
  EXPECT_EQ(NoiseOf({1, 2, 3}, {}), std::nullopt);
  EXPECT_EQ(NoiseOf({5, 5, 5}, {7, 7, 7}), 0);
}

TEST(NoiseTest, ShrinksWithTheStepsAndGrowsWithTheRows) {
  const std::vector<double> few = {98, 99, 100, 101, 102};
  std::vector<double> many;
  for (int i = 0; i < 20; ++i) many.insert(many.end(), few.begin(), few.end());
  const double noise = *NoiseOf(few, few);
  // 1.2533 × t(8) × 1.4826 × √(2/5).
  EXPECT_NEAR(noise, 1.2533 * 3.355 * 1.4826 * std::sqrt(0.4), 0.01);
  EXPECT_LT(*NoiseOf(many, many), noise / 4);
  // t(8) of 0.1 %.
  EXPECT_NEAR(*NoiseOf(few, few, 10), noise * 5.041 / 3.355, 0.01);
}

TEST(NoiseTest, Clock) {
  EXPECT_EQ(ClockNoise(0), 1);
  EXPECT_EQ(ClockNoise(25), 5);
}

// ------------------------------------------------------- profiles to compare

constexpr char kCpu[] = "/job:a/replica:0/task:0/device:cpu:0";

struct Op {
  std::string name;
  std::string type;
  int64_t micros = 0;
};

// Every op runs in every step; `wobble` is added to all of step i.
Profile MakeProfile(const std::vector<Op>& ops,
                    const std::vector<int64_t>& wobble = {0}) {
  ProfileBuilder builder(TfprofRules());
  for (const Op& op : ops) builder.AddNode(op.name, op.type, kNoRecord);
  const LaneId cpu = DeviceLane(kCpu, builder.mutable_graph());
  for (size_t step = 0; step < wobble.size(); ++step) {
    std::vector<ExecutionRecord> records;
    int64_t start = 1000;
    for (const Op& op : ops) {
      const GraphTables& graph = builder.graph();
      const int64_t duration = op.micros + wobble[step];
      records.push_back({.node = graph.nodes.Find(graph.strings.Find(op.name)),
                         .lane = cpu,
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
  Two(Profile b, Profile a)
      : before_profile(std::move(b)),
        after_profile(std::move(a)),
        before(before_profile),
        after(after_profile) {}
  Profile before_profile, after_profile;
  Views before, after;
};

// "depth name status before after" of each row.
std::vector<std::string> Rows(View view, Two& two, const ViewOptions& options,
                              DiffOrder order = DiffOrder::kChange) {
  const Diff diff = DiffViews(view, two.before, two.after, options, order);
  std::vector<std::string> rows;
  for (const DiffRow& row : diff.rows) {
    const char* status = row.status() == DiffRow::Status::kNew    ? "+"
                         : row.status() == DiffRow::Status::kGone ? "-"
                                                                  : "";
    rows.push_back(fmt::format("{} {}{} {} {}", row.depth, status, row.name(),
                               row.before[kMicros], row.after[kMicros]));
  }
  return rows;
}

TEST(DiffTest, OpsByChange) {
  Two two(MakeProfile({{"a", "MatMul", 100},
                       {"b", "Relu", 50},
                       {"c", "Old", 20},
                       {"d", "Same", 7}}),
          MakeProfile({{"a", "MatMul", 110},
                       {"b", "Relu", 10},
                       {"n", "New", 5},
                       {"d", "Same", 7}}));
  EXPECT_THAT(Rows(View::kOp, two, {}),
              ElementsAre("0 Relu 50 10", "0 -Old 20 0", "0 MatMul 100 110",
                          "0 +New 0 5"));
  const Diff diff =
      DiffViews(View::kOp, two.before, two.after, {}, DiffOrder::kChange);
  EXPECT_EQ(diff.unchanged, 1);
  EXPECT_EQ(diff.total.before[kMicros], 177);
  EXPECT_EQ(diff.total.after[kMicros], 132);
}

TEST(DiffTest, OptionsOrderAndLimit) {
  Two two(MakeProfile({{"a", "A", 10}, {"b", "B", 50}, {"c", "C", 20}}),
          MakeProfile({{"a", "A", 100}, {"b", "B", 51}, {"d", "D", 60}}));
  ViewOptions options;
  EXPECT_THAT(Rows(View::kOp, two, options, DiffOrder::kOptions),
              ElementsAre("0 A 10 100", "0 B 50 51", "0 -C 20 0", "0 +D 0 60"));
  options.order = ViewOptions::Order::kStat;
  options.order_stat = kMicros;
  EXPECT_THAT(Rows(View::kOp, two, options, DiffOrder::kOptions),
              ElementsAre("0 A 10 100", "0 +D 0 60", "0 B 50 51", "0 -C 20 0"));
  // Rows of the diff count, in its order.
  options.max_depth = 1;
  EXPECT_THAT(Rows(View::kOp, two, options, DiffOrder::kChange),
              ElementsAre("0 A 10 100", "0 +D 0 60"));
}

TEST(DiffTest, AFilterHoldsForEitherSide) {
  Two two(MakeProfile({{"a", "A", 10}, {"b", "B", 50}, {"c", "C", 3}}),
          MakeProfile({{"a", "A", 60}, {"b", "B", 4}, {"c", "C", 5}}));
  ViewOptions options;
  options.min[kMicros] = 50;
  // With both values, though one side alone would hide them.
  EXPECT_THAT(Rows(View::kOp, two, options),
              ElementsAre("0 A 10 60", "0 B 50 4"));
  EXPECT_THAT(Rows(View::kScope, two, options),
              ElementsAre("0 _TFProfRoot 63 69", "1 a 10 60", "1 b 50 4"));
  options = {};
  options.hide_names = {"A"};
  EXPECT_THAT(Rows(View::kOp, two, options),
              ElementsAre("0 B 50 4", "0 C 3 5"));
}

TEST(DiffTest, ScopesAreMatchedFromTheRootDown) {
  Two two(MakeProfile({{"net_1/dense/MatMul", "M", 10},
                       {"net_1/dense_1/MatMul", "M", 20},
                       {"net_1/gone", "M", 5}}),
          MakeProfile({{"net_2/dense_4/MatMul", "M", 11},
                       {"net_2/dense_5/MatMul", "M", 40},
                       {"net_2/new", "M", 1}}));
  EXPECT_THAT(
      Rows(View::kScope, two, {}),
      ElementsAre("0 _TFProfRoot 35 52", "1 net_2 35 52",
                  "2 net_2/dense_5 20 40", "3 net_2/dense_5/MatMul 20 40",
                  "2 -net_1/gone 5 0", "2 net_2/dense_4 10 11",
                  "3 net_2/dense_4/MatMul 10 11", "2 +net_2/new 0 1"));
}

TEST(DiffTest, WhatIsUnchangedIsThereWhereSomethingBelowChanged) {
  Two two(MakeProfile({{"s/a", "M", 10}, {"s/b", "M", 20}, {"t/c", "M", 5}}),
          MakeProfile({{"s/a", "M", 20}, {"s/b", "M", 10}, {"t/c", "M", 5}}));
  EXPECT_THAT(Rows(View::kScope, two, {}),
              ElementsAre("0 _TFProfRoot 35 35", "1 s 30 30", "2 s/a 10 20",
                          "2 s/b 20 10"));
  Two same(MakeProfile({{"a", "M", 10}}), MakeProfile({{"a", "M", 10}}));
  EXPECT_THAT(Rows(View::kScope, same, {}), IsEmpty());
}

TEST(DiffTest, GoneSubtreesKeepTheirShape) {
  Two two(MakeProfile({{"k", "M", 1}, {"g/x/y", "M", 10}}),
          MakeProfile({{"k", "M", 2}}));
  EXPECT_THAT(Rows(View::kScope, two, {}),
              ElementsAre("0 _TFProfRoot 11 2", "1 -g 10 0", "2 -g/x 10 0",
                          "3 -g/x/y 10 0", "1 k 1 2"));
  ViewOptions options;
  options.hide_names = {"g/x"};
  EXPECT_THAT(Rows(View::kScope, two, options),
              ElementsAre("0 _TFProfRoot 11 2", "1 -g 10 0", "2 -g/x/y 10 0",
                          "1 k 1 2"));
}

TEST(DiffTableTest, CellsAndFacts) {
  Two two(MakeProfile({{"a", "A_1", 10}, {"c", "C", 4}}),
          MakeProfile({{"a", "A_2", 15}, {"d", "D", 1}}));
  const Diff diff =
      DiffViews(View::kOp, two.before, two.after, {}, DiffOrder::kChange);
  const DataTable table = DiffTable(diff, "old.pb");
  std::vector<std::string> names;
  for (const DataColumn& column : table.columns) names.push_back(column.name);
  EXPECT_THAT(names,
              ElementsAre("name", "status", "before_name", "micros_before",
                          "micros_after", "micros_delta", "micros_change"));
  std::vector<DataCell> cells;
  table.cells(0, cells);
  EXPECT_THAT(cells,
              ElementsAre(DataCell("A_2"), DataCell("changed"), DataCell("A_1"),
                          DataCell(int64_t{10}), DataCell(int64_t{15}),
                          DataCell(int64_t{5}), DataCell(0.5)));
  table.cells(1, cells);
  EXPECT_THAT(cells, ElementsAre(DataCell("C"), DataCell("gone"), DataCell(""),
                                 DataCell(int64_t{4}), DataCell(),
                                 DataCell(int64_t{-4}), DataCell(-1.0)));
  table.cells(2, cells);
  EXPECT_THAT(cells, ElementsAre(DataCell("D"), DataCell("new"), DataCell(""),
                                 DataCell(), DataCell(int64_t{1}),
                                 DataCell(int64_t{1}), DataCell()));
}

// ---------------------------------------------------------------------- check

CheckReport Report(std::vector<std::string_view> rules, Two& two,
                   double floor = 0) {
  std::vector<CheckRule> parsed;
  for (const std::string_view rule : rules) parsed.push_back(Parsed(rule));
  auto report = Check(parsed, floor, two.before, two.after);
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  return report.ok() ? *std::move(report) : CheckReport();
}

Verdict VerdictOf(std::string_view rule, Two& two, double floor = 0) {
  const CheckReport report = Report({rule}, two, floor);
  return report.rules.empty() ? Verdict::kFail : report.rules[0].verdict;
}

const std::vector<int64_t> kWobble = {0, 3, -2, 1, -1, 2, 0, 500};

TEST(CheckTest, RulesOfOneStep) {
  Two two(MakeProfile({{"a", "A", 100}}), MakeProfile({{"a", "A", 120}}));
  EXPECT_EQ(VerdictOf("op:A.micros > +19%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("op:A.micros > +20%", two), Verdict::kPass);
  EXPECT_EQ(VerdictOf("op:A.micros >= +20%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("scope:a.micros > +10us", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("graph:a.micros > +20us", two), Verdict::kPass);
  EXPECT_EQ(VerdictOf("op:A.micros > 110us", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("op:A.micros < 110us", two), Verdict::kPass);
  EXPECT_EQ(VerdictOf("total.micros > +10%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("step.span_micros > +10%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("total.params > +0", two), Verdict::kPass);
  const CheckReport report = Report({"op:A.micros > +5%"}, two);
  EXPECT_EQ(report.rules[0].rows[0].measured.noise, std::nullopt);
  EXPECT_THAT(CheckText(report), HasSubstr("there is no estimate of noise"));
}

TEST(CheckTest, AChangeWithinNoiseIsNoFailure) {
  const Profile before = MakeProfile({{"a", "A", 100}}, kWobble);
  Two same(before, MakeProfile({{"a", "A", 102}}, kWobble));
  EXPECT_EQ(VerdictOf("op:A.micros > +1%", same), Verdict::kWithinNoise);
  Two slower(before, MakeProfile({{"a", "A", 120}}, kWobble));
  const CheckReport report = Report({"op:A.micros > +5%"}, slower);
  ASSERT_EQ(report.rules[0].verdict, Verdict::kFail);
  const Measured& row = report.rules[0].rows[0].measured;
  // The step of 600 µs moves no median.
  EXPECT_DOUBLE_EQ(row.before, 100.5);
  EXPECT_DOUBLE_EQ(row.delta(), 20);
  EXPECT_EQ(row.before_steps, 8);
  EXPECT_LT(*row.noise, 10);
}

TEST(CheckTest, TheFloorIsAShareOfBefore) {
  Two two(MakeProfile({{"a", "A", 100}}), MakeProfile({{"a", "A", 110}}));
  EXPECT_EQ(VerdictOf("op:A.micros > +5%", two, 0.09), Verdict::kFail);
  EXPECT_EQ(VerdictOf("op:A.micros > +5%", two, 0.10), Verdict::kWithinNoise);
}

TEST(CheckTest, NoiseExcusesNeitherLimitsNorAMissingImprovement) {
  Two two(MakeProfile({{"a", "A", 100}}, kWobble),
          MakeProfile({{"a", "A", 101}}, kWobble));
  EXPECT_EQ(VerdictOf("op:A.micros > 90us", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("op:A.micros > -5%", two), Verdict::kFail);
}

TEST(CheckTest, OneMicrosecondIsTheClock) {
  Two two(MakeProfile({{"a", "A", 3}}, {0, 0, 0, 0}),
          MakeProfile({{"a", "A", 4}}, {0, 0, 0, 0}));
  EXPECT_EQ(VerdictOf("op:A.micros > +5%", two), Verdict::kWithinNoise);
}

TEST(CheckTest, NewAndGoneRows) {
  Two two(MakeProfile({{"a", "A", 100}, {"b", "B", 10}}, kWobble),
          MakeProfile({{"a", "A", 100}, {"c", "C", 10}}, kWobble));
  EXPECT_EQ(VerdictOf("op:C.micros > +5%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("op:B.micros > +5%", two), Verdict::kPass);
  EXPECT_EQ(VerdictOf("op:B.micros < -5%", two), Verdict::kFail);
  const CheckReport report = Report({"op:.*.micros > +5%"}, two);
  ASSERT_EQ(report.rules[0].rows.size(), 3);
  EXPECT_EQ(report.rules[0].rows[0].measured.name, "C");
  EXPECT_THAT(CheckText(report), HasSubstr("2 pass"));
}

TEST(CheckTest, ContributorsMostFirst) {
  Two two(MakeProfile({{"a", "A", 100}, {"b", "B", 100}, {"c", "C", 9}}),
          MakeProfile({{"a", "A", 90}, {"b", "B", 130}, {"c", "C", 9}}));
  const CheckReport report = Report({"total.micros > +50%"}, two);
  ASSERT_EQ(report.ops.size(), 2);
  EXPECT_EQ(report.ops[0].name, "B");
  EXPECT_EQ(report.nodes[1].name, "a");
}

TEST(CheckTest, RowsThatAreNotThereAreAnError) {
  Two two(MakeProfile({{"a", "A", 1}}), MakeProfile({{"a", "A", 1}}));
  const CheckRule rule = Parsed("op:Matmul.micros > 1");
  const auto report = Check({&rule, 1}, 0, two.before, two.after);
  EXPECT_THAT(std::string(report.status().message()),
              AllOf(HasSubstr("no op row of either profile"),
                    HasSubstr("the largest are A")));
  const CheckRule code = Parsed("code:.*.micros > 1");
  EXPECT_THAT(
      std::string(
          Check({&code, 1}, 0, two.before, two.after).status().message()),
      HasSubstr("the base profile has no call stacks"));
}

TEST(CheckTest, RenamedRowsAreFollowed) {
  Two two(MakeProfile({{"dense_1/M", "M", 100}}),
          MakeProfile({{"dense_7/M", "M", 200}}));
  // By either name.
  EXPECT_EQ(VerdictOf("scope:dense_1/M.micros > +50%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("scope:dense_7/M.micros > +50%", two), Verdict::kFail);
  EXPECT_THAT(CheckText(Report({"scope:dense_1/M.micros > +50%"}, two)),
              HasSubstr("dense_7/M (was dense_1/M)"));
}

TEST(CheckReportTest, JunitEscapes) {
  Two two(MakeProfile({{"a", "<A&\x1b\">", 100}}),
          MakeProfile({{"a", "<A&\x1b\">", 200}}));
  const std::string xml = CheckJunit(Report({"op:.*.micros > +5%"}, two));
  EXPECT_THAT(xml, HasSubstr("name=\"&lt;A&amp;\\x1b&quot;&gt;\""));
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"1\""));
  EXPECT_THAT(xml, HasSubstr("100us -&gt; 200us, +100us (+100.0%)"));
  EXPECT_THAT(xml, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace tfprof
