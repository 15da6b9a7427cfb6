#include "views/views.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/small_model.h"
#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile_builder.h"
#include "views/regex_list.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int32_t kDeep = std::numeric_limits<int32_t>::max();

// Each row as "<blanks of its depth>NAME SELF/TOTAL" of one statistic.
std::vector<std::string> Rows(const Report& report, Stat stat = kMicros) {
  std::vector<std::string> rows;
  for (const Report::Row& row : report.rows) {
    rows.push_back(
        fmt::format("{:{}}{} {}/{}", "", row.depth, row.name,
                    row.accounted ? fmt::format("{}", row.self[stat]) : "--",
                    row.total[stat]));
  }
  return rows;
}

// The names alone, indented.
std::vector<std::string> Names(const Report& report) {
  std::vector<std::string> names;
  for (const Report::Row& row : report.rows) {
    names.push_back(fmt::format("{:{}}{}", "", row.depth, row.name));
  }
  return names;
}

ViewOptions OrderBy(Stat stat) {
  ViewOptions options;
  options.order = ViewOptions::Order::kStat;
  options.order_stat = stat;
  return options;
}

// ---- The small model (spec 18)

class SmallModelTest : public ::testing::Test {
 protected:
  Profile profile_ = SmallModel();
  Views views_{profile_};
};

TEST_F(SmallModelTest, ScopeOfVariables) {
  ViewOptions options;
  options.max_depth = 5;
  options.account_types = {"VariableV2"};
  const Report report = views_.Show(View::kScope, options);
  EXPECT_THAT(Rows(report), ElementsAre("_TFProfRoot --/13", " DW 2/2",
                                        " DW2 11/11", " ScalarW 0/0"));
  EXPECT_THAT(Rows(report, kParameters),
              ElementsAre("_TFProfRoot --/451", " DW 162/162", " DW2 288/288",
                          " ScalarW 1/1"));
  EXPECT_EQ(report.rows[0].definitions, 3);
  EXPECT_EQ(report.rows[1].definitions, 1);
  EXPECT_EQ(report.rows[0].total[kRunCount], 2);
}

// Of Mul and Add of DW's initializer, which no log has figures of, and of the
// convolutions, of which one has.
TEST_F(SmallModelTest, FloatOpsBySource) {
  ViewOptions options;
  options.max_depth = kDeep;
  options.show_names = {"_TFProfRoot", "Conv2D", "DW/Initializer.*"};
  options.min[kFloatOps] = 1;
  const auto rows = [&](FlopsSource source) {
    options.flops = source;
    return Rows(views_.Show(View::kScope, options), kFloatOps);
  };
  const std::vector<std::string> logged = rows(FlopsSource::kOpLog);
  EXPECT_THAT(logged, ElementsAre("_TFProfRoot --/10440", " Conv2D 5832/5832"));
  const auto everything =
      ElementsAre("_TFProfRoot --/11342", " Conv2D 5832/5832",
                  " DW/Initializer/random_normal 162/324",
                  "  DW/Initializer/random_normal/mul 162/162");
  EXPECT_THAT(rows(FlopsSource::kAuto), everything);
  EXPECT_THAT(rows(FlopsSource::kGraph), everything);
  EXPECT_THAT(rows(FlopsSource::kOff), ElementsAre("_TFProfRoot --/0"));
  EXPECT_EQ(rows(FlopsSource::kOpLog), logged);
}

TEST_F(SmallModelTest, FloatOpsBySourceInEveryView) {
  ViewOptions options;
  options.max_depth = kDeep;
  for (const View view : {View::kScope, View::kGraph, View::kOp}) {
    options.flops = FlopsSource::kOpLog;
    EXPECT_EQ(views_.Show(view, options).root_total[kFloatOps], 10440);
    options.flops = FlopsSource::kGraph;
    EXPECT_EQ(views_.Show(view, options).root_total[kFloatOps], 11342);
    options.flops = FlopsSource::kOff;
    EXPECT_EQ(views_.Show(view, options).root_total[kFloatOps], 0);
  }
}

TEST_F(SmallModelTest, ScopeByCpuMicros) {
  ViewOptions options = OrderBy(kCpuMicros);
  options.max_depth = 2;
  // Ties by name: DW before zeros, ScalarW before init.
  EXPECT_THAT(Rows(views_.Show(View::kScope, options), kCpuMicros),
              ElementsAre("_TFProfRoot --/4541", " Conv2D 4066/4066",
                          " Conv2D_1 419/419", " _retval_Conv2D_1_0_0 41/41",
                          " DW2 11/11", " DW 2/2", " zeros 2/2", " ScalarW 0/0",
                          " init 0/0"));
}

TEST_F(SmallModelTest, ScopeHasSyntheticParents) {
  ViewOptions options;
  options.max_depth = 100;
  options.start_names = {"DW/Initializer"};
  const Report report = views_.Show(View::kScope, options);
  EXPECT_THAT(
      Names(report),
      ElementsAre("_TFProfRoot", " DW/Initializer",
                  "  DW/Initializer/random_normal",
                  "   DW/Initializer/random_normal/RandomStandardNormal",
                  "   DW/Initializer/random_normal/mean",
                  "   DW/Initializer/random_normal/mul",
                  "   DW/Initializer/random_normal/shape",
                  "   DW/Initializer/random_normal/stddev"));
  EXPECT_EQ(report.rows[1].node, kNone);
  EXPECT_NE(report.rows[2].node, kNone);
  EXPECT_EQ(report.rows[1].definitions, 7);
  // The root's totals are those of everything: 32 nodes and 3 scopes.
  EXPECT_EQ(report.rows[0].definitions, 35);
  EXPECT_EQ(report.rows[0].total[kMicros], 4945);
}

TEST_F(SmallModelTest, OpsByParameters) {
  ViewOptions options = OrderBy(kParameters);
  options.max_depth = 5;
  options.min[kRunCount] = 1;
  const Report report = views_.Show(View::kOp, options);
  EXPECT_THAT(Rows(report),
              ElementsAre("VariableV2 13/4945", "Add 0/4932", "Assign 0/4932",
                          "Const 2/4932", "Conv2D 4889/4930", "Identity 0/41"));
  EXPECT_EQ(report.root_total[kMicros], 4945);
  EXPECT_EQ(report.rows[3].definitions, 10);
  EXPECT_EQ(report.rows[3].runs, 1);
  EXPECT_EQ(report.rows[4].definitions, 2);
  EXPECT_THAT(report.NodesOf(report.rows[4]), SizeIs(2));
}

TEST_F(SmallModelTest, GraphFromAStart) {
  ViewOptions options;
  options.max_depth = 100;
  options.start_names = {"DW/Initializer/random_normal/mul"};
  const Report report = views_.Show(View::kGraph, options);
  EXPECT_THAT(
      Rows(report),
      ElementsAre("_TFProfRoot --/4945",
                  " DW/Initializer/random_normal/mul 0/0",
                  "  DW/Initializer/random_normal/RandomStandardNormal 0/0",
                  "   DW/Initializer/random_normal/shape 0/0",
                  "  DW/Initializer/random_normal/stddev 0/0"));
  EXPECT_EQ(report.rows[0].definitions, 32);
  EXPECT_EQ(report.rows[1].definitions, 4);
}

TEST_F(SmallModelTest, GraphPassesUnaccountedNodesUp) {
  ViewOptions options = OrderBy(kMicros);
  options.max_depth = 4;
  options.account_types = {"Conv2D", "VariableV2"};
  EXPECT_THAT(Rows(views_.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot --/4902", " Conv2D_1 597/4902",
                          "  Conv2D 4292/4294", "   DW 2/2", "  DW2 11/11",
                          " ScalarW 0/0"));
}

TEST_F(SmallModelTest, DisplayedOnly) {
  ViewOptions options;
  options.show_names = {"Conv2D_1"};
  options.account_displayed_only = true;
  const Report report = views_.Show(View::kScope, options);
  EXPECT_THAT(Rows(report, kFloatOps),
              ElementsAre("_TFProfRoot --/4608", " Conv2D_1 4608/4608"));
  // The root counts itself.
  EXPECT_EQ(report.rows[0].definitions, 2);
  EXPECT_EQ(report.rows[0].total[kRunCount], 1);
}

TEST_F(SmallModelTest, DisplayedOnlyOps) {
  ViewOptions options = OrderBy(kMicros);
  options.show_names = {"Conv2D", "Const"};
  options.account_displayed_only = true;
  const Report report = views_.Show(View::kOp, options);
  EXPECT_THAT(Rows(report), ElementsAre("Conv2D 4889/4891", "Const 2/2"));
  EXPECT_EQ(report.root_total[kMicros], 4891);
  options.show_names = {"nothing"};
  EXPECT_THAT(views_.Show(View::kOp, options).rows, IsEmpty());
  EXPECT_EQ(views_.Show(View::kOp, options).root_total[kMicros], 0);
}

TEST_F(SmallModelTest, SelfParametersTotalTimes) {
  // min_float_ops is of the node itself, min_micros of all below.
  ViewOptions options;
  options.min[kFloatOps] = 1;
  EXPECT_THAT(Names(views_.Show(View::kScope, options)),
              ElementsAre("_TFProfRoot", " Conv2D", " Conv2D_1"));
  options.min = {};
  options.min[kMicros] = 4000;
  EXPECT_THAT(Names(views_.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot", " Conv2D_1", "  Conv2D"));
}

TEST_F(SmallModelTest, OpThresholdsAreOfTailSums) {
  ViewOptions options;  // by name
  options.min[kMicros] = 55;
  // Add has nothing of its own, but there is enough after it. From Identity on
  // there are 54 us.
  EXPECT_THAT(Names(views_.Show(View::kOp, options)),
              ElementsAre("Add", "Assign", "Const", "Conv2D"));
}

TEST_F(SmallModelTest, OpDepthCountsHiddenRows) {
  ViewOptions options;
  options.max_depth = 2;
  options.hide_names = {"Assign"};
  EXPECT_THAT(Names(views_.Show(View::kOp, options)),
              ElementsAre("Add", "Const"));
  options.max_depth = 0;
  EXPECT_THAT(Names(views_.Show(View::kOp, options)), ElementsAre("Add"));
  options.max_depth = -1;
  EXPECT_THAT(views_.Show(View::kOp, options).rows, IsEmpty());
}

TEST_F(SmallModelTest, OpStartAndTrim) {
  ViewOptions options;
  options.start_names = {"Con.*"};
  options.trim_names = {"Mul"};
  EXPECT_THAT(Names(views_.Show(View::kOp, options)),
              ElementsAre("Const", "Conv2D", "Identity"));
  options.start_names = {"nothing"};
  EXPECT_THAT(views_.Show(View::kOp, options).rows, IsEmpty());
  options.start_names = {};  // from the beginning
  EXPECT_THAT(views_.Show(View::kOp, options).rows, SizeIs(5));
}

TEST_F(SmallModelTest, ANodeThatMatchesTwiceCountsTwice) {
  ViewOptions options;
  options.account_types = {"Conv2D", ".*gpu.*", "Const"};
  options.order = ViewOptions::Order::kStat;
  options.order_stat = kRunCount;
  const Report report = views_.Show(View::kOp, options);
  // Conv2D matches two patterns, zeros too, the other constants one.
  EXPECT_THAT(Rows(report), ElementsAre("Const 4/9795", "Conv2D 9778/9791",
                                        "VariableV2 13/13"));
  EXPECT_EQ(report.rows[1].runs, 2);  // of distinct nodes
  EXPECT_EQ(report.rows[1].definitions, 2);
}

TEST_F(SmallModelTest, OccurrenceOrder) {
  ViewOptions options;
  options.order = ViewOptions::Order::kStat;
  options.order_stat = kRunCount;
  options.max_depth = 1;
  EXPECT_THAT(Names(views_.Show(View::kOp, options)),
              ElementsAre("Const", "Add"));
  // Not implemented for trees: by name.
  options.max_depth = 2;
  options.show_names = {"z.*", "i.*", "Conv.*"};
  EXPECT_THAT(
      Names(views_.Show(View::kScope, options)),
      ElementsAre("_TFProfRoot", " Conv2D", " Conv2D_1", " init", " zeros"));
}

TEST_F(SmallModelTest, MaxDepth) {
  ViewOptions options;
  for (const View view : {View::kScope, View::kGraph}) {
    options.max_depth = 1;
    EXPECT_THAT(Names(views_.Show(view, options)), ElementsAre("_TFProfRoot"));
    options.max_depth = 0;
    EXPECT_THAT(Names(views_.Show(view, options)), ElementsAre("_TFProfRoot"));
    options.max_depth = -5;
    EXPECT_THAT(Names(views_.Show(view, options)), ElementsAre("_TFProfRoot"));
  }
  options.max_depth = 2;
  EXPECT_THAT(Names(views_.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot", " Conv2D_1", " ScalarW/read",
                          " _retval_Conv2D_1_0_0", " init"));
}

TEST_F(SmallModelTest, TrimmedRowsShowAndTheirChildrenDoNot) {
  ViewOptions options;
  options.show_names = {"DW.*"};
  options.trim_names = {"DW/I.*", "DW2"};
  const Report report = views_.Show(View::kScope, options);
  EXPECT_THAT(Names(report),
              ElementsAre("_TFProfRoot", " DW", "  DW/Assign",
                          "  DW/Initializer", "  DW/read", " DW2"));
  EXPECT_EQ(report.rows[5].definitions, 10);
}

TEST_F(SmallModelTest, EmptyLists) {
  ViewOptions options;
  options.show_names = {};
  EXPECT_THAT(Names(views_.Show(View::kScope, options)),
              ElementsAre("_TFProfRoot"));
  EXPECT_THAT(views_.Show(View::kOp, options).rows, IsEmpty());
  options = ViewOptions();
  options.start_names = {};
  EXPECT_THAT(Rows(views_.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot --/4945"));
  options = ViewOptions();
  options.account_types = {};
  EXPECT_THAT(Rows(views_.Show(View::kScope, options)),
              ElementsAre("_TFProfRoot --/0"));
  EXPECT_THAT(views_.Show(View::kOp, options).rows, IsEmpty());
}

// What a Views has kept must not show.
TEST_F(SmallModelTest, RepeatedQueriesAnswerAsFreshOnes) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    ViewOptions options = random() % 2 ? OrderBy(kMicros) : ViewOptions();
    options.max_depth = static_cast<int32_t>(random() % 8);
    options.step = random() % 3 ? -1 : 0;
    const RegexPatterns types[] = {{".*"}, {"Conv2D"}, {"V.*", "C.*"}, {}};
    options.account_types = types[random() % 4];
    if (random() % 3 == 0) options.hide_names = {".*DW"};
    if (random() % 3 == 0) options.start_names = {".*W.*", "Conv.*"};
    options.account_displayed_only = random() % 4 == 0;
    const View view = static_cast<View>(random() % 3);
    Views fresh(profile_);
    ASSERT_EQ(Rows(views_.Show(view, options)), Rows(fresh.Show(view, options)))
        << i;
  }
}

// ---- Graphs of odd shape

class GraphTest : public ::testing::Test {
 protected:
  void Node(std::string_view name,
            std::initializer_list<std::string_view> inputs = {},
            int64_t micros = 1) {
    const NodeId n = AddNodeWithInputs(builder_, name,
                                       "Op_" + std::string(name), inputs, {});
    const LaneId cpu = DeviceLane("/cpu:0", builder_.mutable_graph());
    records_.push_back(
        {.node = n, .lane = cpu, .start = 1, .duration = micros});
  }
  Profile Build() {
    builder_.AddExecutions(0, std::move(records_), {});
    return std::move(builder_).Build();
  }
  std::vector<std::string> Show(View view, const ViewOptions& options = {}) {
    const Profile profile = Build();
    Views views(profile);
    return Rows(views.Show(view, options));
  }

  ProfileBuilder builder_ = ProfileBuilder(TfprofRules());
  std::vector<ExecutionRecord> records_;
};

TEST_F(GraphTest, ASourceStandsUnderItsFirstConsumer) {
  Node("a", {"shared"}, 1);
  Node("b", {"shared", "b_own", "shared"}, 2);
  Node("b_own", {}, 4);
  Node("shared", {}, 8);
  EXPECT_THAT(Show(View::kGraph),
              ElementsAre("_TFProfRoot --/15", " a 1/9", "  shared 8/8",
                          " b 2/6", "  b_own 4/4"));
}

TEST_F(GraphTest, CyclesWithoutAConsumerAreNotSeen) {
  Node("a", {"b"});
  Node("b", {"a"});
  Node("self", {"self"});
  Node("c");
  EXPECT_THAT(Show(View::kGraph), ElementsAre("_TFProfRoot --/1", " c 1/1"));
}

TEST_F(GraphTest, CyclesBelowAConsumerCountOnce) {
  Node("exit", {"merge"});
  Node("merge", {"next"}, 2);
  Node("next", {"merge", "next"}, 4);
  EXPECT_THAT(Show(View::kGraph), ElementsAre("_TFProfRoot --/7", " exit 1/7",
                                              "  merge 2/6", "   next 4/4"));
}

TEST_F(GraphTest, CyclesAndAccountTypes) {
  Node("exit", {"merge"});
  Node("merge", {"next"}, 2);
  Node("next", {"merge"}, 4);
  ViewOptions options;
  options.account_types = {"Op_next", "Op_exit"};
  EXPECT_THAT(Show(View::kGraph, options),
              ElementsAre("_TFProfRoot --/5", " exit 1/5", "  next 4/4"));
}

TEST_F(GraphTest, DanglingInputsAreSkipped) {
  Node("a", {"gone", "b", "gone too"});
  Node("b");
  EXPECT_THAT(Show(View::kGraph),
              ElementsAre("_TFProfRoot --/2", " a 1/2", "  b 1/1"));
}

TEST_F(GraphTest, HiddenRowsLiftTheirChildren) {
  Node("top", {"hidden", "y"}, 1);
  Node("hidden", {"z", "x"}, 2);
  Node("x", {}, 4);
  Node("y", {}, 8);
  Node("z", {}, 4);
  ViewOptions options;
  options.hide_names = {"hidden"};
  options.order = ViewOptions::Order::kStat;
  options.order_stat = kMicros;
  const Profile profile = Build();
  Views views(profile);
  // z before x: both have 4, and z is the first input of what was hidden.
  EXPECT_THAT(Rows(views.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot --/19", " top 1/19", "  y 8/8",
                          "  z 4/4", "  x 4/4"));
  // Depth counts the hidden row.
  options.max_depth = 3;
  EXPECT_THAT(Names(views.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot", " top", "  y"));
  // Totals keep what is hidden, unless displayed-only.
  options.max_depth = 10;
  options.account_displayed_only = true;
  EXPECT_THAT(Rows(views.Show(View::kGraph, options))[1], " top 1/17");
}

TEST_F(GraphTest, UnaccountedAncestorsLeakInScope) {
  Node("a", {}, 3);
  Node("a/b", {}, 4);
  Node("c", {}, 5);
  ViewOptions options;
  options.account_types = {"Op_a/b"};
  EXPECT_THAT(Show(View::kScope, options),
              ElementsAre("_TFProfRoot --/7", " a --/7", "  a/b 4/4"));
}

TEST_F(GraphTest, OddNames) {
  Node("/lead", {}, 1);
  Node("tail/", {}, 2);
  Node("a//b", {}, 4);
  Node("\xff\n", {}, 8);
  EXPECT_THAT(Show(View::kScope),
              ElementsAre("_TFProfRoot --/15", "  0/1", "  /lead 1/1", " a 0/4",
                          "  a/ 0/4", "   a//b 4/4", " tail 0/2", "  tail/ 2/2",
                          " \xff\n 8/8"));
}

TEST_F(GraphTest, NothingAtAll) {
  const Profile profile;
  Views views(profile);
  for (const View view : {View::kScope, View::kGraph}) {
    EXPECT_THAT(Rows(views.Show(view, {})), ElementsAre("_TFProfRoot --/0"));
  }
  EXPECT_TRUE(views.Show(View::kOp, {}).nothing_at_all);
}

TEST_F(GraphTest, ChainOfAMillion) {
  constexpr int kNodes = 1000000;
  GraphTables& graph = builder_.mutable_graph();
  const LaneId cpu = DeviceLane("/cpu:0", graph);
  for (int i = 0; i < kNodes; ++i) {
    // The consumer comes first: n0 is on top.
    const NodeId n =
        builder_.AddNode("n" + std::to_string(i), "Identity", kNoRecord);
    if (i + 1 < kNodes) {
      builder_.AddEdge(graph.strings.Intern("n" + std::to_string(i + 1)), 0, 0,
                       0);
    }
    records_.push_back({.node = n, .lane = cpu, .start = 1, .duration = 1});
  }
  const Profile profile = Build();
  Views views(profile);
  ViewOptions options;
  options.max_depth = kDeep;
  const Report report = views.Show(View::kGraph, options);
  ASSERT_THAT(report.rows, SizeIs(kNodes + 1));
  EXPECT_EQ(report.rows[1].name, "n0");
  EXPECT_EQ(report.rows[1].total[kMicros], kNodes);
  EXPECT_EQ(report.rows[1].definitions, kNodes);
  EXPECT_EQ(report.rows.back().name, "n999999");
  EXPECT_EQ(report.rows.back().depth, uint32_t{kNodes});
  // From the far end, with everything above hidden.
  options.start_names = {"n99999[89]"};
  EXPECT_THAT(
      Rows(views.Show(View::kGraph, options)),
      ElementsAre("_TFProfRoot --/1000000", " n999998 1/2", "  n999999 1/1"));
  options.start_names = {".*"};
  options.show_names = {"n999999"};
  EXPECT_THAT(Names(views.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot", " n999999"));
  EXPECT_THAT(views.Show(View::kScope, ViewOptions()).rows, SizeIs(kNodes + 1));
}

// Scopes of all depths, some of them nodes, cut anywhere between threads.
TEST_F(GraphTest, ThreadsMakeNoDifference) {
  GraphTables& graph = builder_.mutable_graph();
  const LaneId cpu = DeviceLane("/cpu:0", graph);
  std::minstd_rand random(3);
  for (int i = 0; i < 100000; ++i) {
    std::string name = "s" + std::to_string(random() % 3);
    for (uint32_t depth = random() % 12; depth > 0; --depth) {
      name += "/t" + std::to_string(random() % 4);
    }
    if (random() % 2 == 0) name += "/n" + std::to_string(i);
    const NodeId n =
        builder_.AddNode(name, random() % 5 == 0 ? "A" : "B", kNoRecord);
    if (n == kNone) continue;
    records_.push_back({.node = n, .lane = cpu, .start = 1, .duration = i});
  }
  const Profile profile = Build();
  const auto rows_with = [&](int threads, ViewOptions options) {
    Views views(profile, {.threads = threads});
    return Rows(views.Show(View::kScope, options));
  };
  ViewOptions options;
  options.max_depth = kDeep;
  const std::vector<std::string> all = rows_with(1, options);
  ASSERT_GT(all.size(), size_t{1} << 16);
  EXPECT_EQ(rows_with(2, options), all);
  EXPECT_EQ(rows_with(7, options), all);
  // Rows that stand there for the rows below them only.
  options.account_types = {"A"};
  const std::vector<std::string> some = rows_with(1, options);
  ASSERT_LT(some.size(), all.size());
  EXPECT_EQ(rows_with(2, options), some);
  EXPECT_EQ(rows_with(7, options), some);
}

TEST_F(GraphTest, DeepScope) {
  constexpr int kDepth = 3000;
  std::string name = "s";
  for (int i = 1; i < kDepth; ++i) name += "/s";
  Node(name, {}, 5);
  ViewOptions options;
  options.max_depth = kDeep;
  const std::vector<std::string> rows = Show(View::kScope, options);
  ASSERT_THAT(rows, SizeIs(kDepth + 1));
  EXPECT_EQ(rows[1], " s 0/5");
  EXPECT_EQ(rows.back(), std::string(kDepth, ' ') + name + " 5/5");
}

TEST_F(GraphTest, ANodeWithManyInputs) {
  constexpr int kInputs = 100000;
  GraphTables& graph = builder_.mutable_graph();
  builder_.AddNode("group", "NoOp", kNoRecord);
  for (int i = 0; i < kInputs; ++i) {
    builder_.AddEdge(graph.strings.Intern("in" + std::to_string(i)), i, 0, 0);
  }
  for (int i = 0; i < kInputs; ++i) {
    builder_.AddNode("in" + std::to_string(i), "Const", kNoRecord);
  }
  const Profile profile = std::move(builder_).Build();
  Views views(profile);
  const Report report = views.Show(View::kGraph, {});
  ASSERT_THAT(report.rows, SizeIs(kInputs + 2));
  EXPECT_EQ(report.rows[1].definitions, kInputs + 1);
  EXPECT_EQ(report.rows.back().depth, 2u);
}

// ---- The code view (spec 8, 18.11)

class CodeTest : public GraphTest {
 protected:
  struct Line {
    std::string_view file;
    int32_t line;
    std::string_view function;
  };
  void Traced(std::string_view name, int64_t micros,
              const std::vector<Line>& lines) {
    Node(name, {}, micros);
    GraphTables& graph = builder_.mutable_graph();
    graph.has_code_traces = true;
    StackId stack = kNoStack;
    for (const Line& line : lines) {
      stack = graph.stacks.Push(
          stack, {.file = graph.strings.Intern(line.file),
                  .function = graph.strings.Intern(line.function),
                  .line = graph.strings.Intern("source"),
                  .lineno = line.line});
    }
    graph.nodes.stack[graph.nodes.size() - 1] = stack;
  }
};

TEST_F(CodeTest, GradientsStandUnderTheirForwardLines) {
  Traced("conv", 100,
         {{"/a/main.py", 10, "main"}, {"/a/model.py", 20, "build"}});
  Traced("gradients/conv_grad/Bprop", 40, {{"/tf/gradients.py", 1, "grad"}});
  ViewOptions options;
  options.order = ViewOptions::Order::kStat;
  options.order_stat = kMicros;
  EXPECT_THAT(Show(View::kCode, options),
              ElementsAre("_TFProfRoot --/140", " main.py:10:main 0/100",
                          "  model.py:20:build 100/100",
                          " main.py:10:main (gradient) 0/40",
                          "  model.py:20:build (gradient) 40/40"));
}

TEST_F(CodeTest, GradientsWithoutAForwardNodeAreCounted) {
  Traced("conv", 1, {{"m.py", 1, "f"}});
  Traced("gradients/gone_grad/a", 2, {{"m.py", 1, "f"}});
  Traced("gradients/gone_grad/b", 2, {{"m.py", 1, "f"}});
  Traced("gradients/lost_grad/b", 2, {{"m.py", 1, "f"}});
  const Profile profile = Build();
  Views views(profile);
  EXPECT_THAT(Rows(views.Show(View::kCode, {})),
              ElementsAre("_TFProfRoot --/1", " m.py:1:f 1/1"));
  EXPECT_EQ(views.code().lost_gradients, 2);  // names, not nodes
}

TEST_F(CodeTest, NamesOfLines) {
  Traced("a", 1, {{"no_folder.py", 1, "nineteen_characters"}});
  Traced("b", 2, {{"/x/m.py", -1, "twenty_characters_xx"}});
  // Another path of the same name is the same row.
  Traced("c", 4, {{"/y/m.py", -1, "twenty_characters_yy"}});
  EXPECT_THAT(
      Show(View::kCode),
      ElementsAre("_TFProfRoot --/7", " m.py:-1:twenty_characters... 6/6",
                  " no_folder.py:1:nineteen_characters 1/1"));
}

TEST_F(CodeTest, TrimDropsTheRowsThemselves) {
  Traced("a", 1, {{"m.py", 1, "f"}, {"m.py", 2, "g"}});
  Traced("b", 2, {{"m.py", 1, "f"}, {"m.py", 3, "h"}});
  const Profile profile = Build();
  Views views(profile);
  ViewOptions options;
  options.trim_names = {".*g"};
  EXPECT_THAT(
      Rows(views.Show(View::kCode, options)),
      ElementsAre("_TFProfRoot --/3", " m.py:1:f 0/3", "  m.py:3:h 2/2"));
  options.trim_names = {".*"};  // the reference dies of it
  EXPECT_THAT(Names(views.Show(View::kCode, options)),
              ElementsAre("_TFProfRoot"));
  options.trim_names = {};
  options.max_depth = 0;
  EXPECT_THAT(Names(views.Show(View::kCode, options)),
              ElementsAre("_TFProfRoot"));
}

TEST_F(CodeTest, AccountTypes) {
  Traced("a", 1, {{"m.py", 1, "f"}, {"m.py", 2, "g"}});
  Traced("b", 2, {{"m.py", 1, "f"}});
  ViewOptions options;
  options.account_types = {"Op_a"};
  EXPECT_THAT(
      Show(View::kCode, options),
      ElementsAre("_TFProfRoot --/1", " m.py:1:f --/1", "  m.py:2:g 1/1"));
}

TEST_F(CodeTest, OnlyGradients) {
  Traced("gradients/x_grad/y", 1, {{"m.py", 1, "f"}});
  EXPECT_THAT(Show(View::kCode), ElementsAre("_TFProfRoot --/0"));
}

// ---- RegexList

TEST(RegexListTest, AnchoredAtBothEnds) {
  const RegexList list({"conv", "a|b"});
  EXPECT_TRUE(list.Matches("conv"));
  EXPECT_FALSE(list.Matches("conv1"));
  EXPECT_FALSE(list.Matches("1conv"));
  EXPECT_TRUE(list.Matches("b"));
  EXPECT_FALSE(list.Matches("ab"));  // not ^a|b$
  EXPECT_TRUE(list.Matches(1, "a"));
  EXPECT_FALSE(list.Matches(0, "a"));
}

TEST(RegexListTest, DotIsNoNewline) {
  EXPECT_FALSE(RegexList({"a.*"}).Matches("a\nb"));
  EXPECT_TRUE(RegexList({"(?s)a.*"}).Matches("a\nb"));
  // The list of everything is a shortcut.
  EXPECT_TRUE(RegexList({".*"}).Matches("a\nb"));
  EXPECT_FALSE(RegexList({".*", "x"}).Matches("a\nb"));
}

TEST(RegexListTest, EverythingAndNothing) {
  EXPECT_TRUE(RegexList({".*"}).matches_all());
  EXPECT_FALSE(RegexList({".*", ".*"}).matches_all());
  EXPECT_TRUE(RegexList({".*", ".*"}).Matches("x"));
  EXPECT_TRUE(RegexList({}).empty());
  EXPECT_FALSE(RegexList({}).Matches("x"));
  EXPECT_TRUE(RegexList({""}).Matches(""));
  EXPECT_FALSE(RegexList({""}).Matches("x"));
}

TEST(RegexListTest, WhatDoesNotCompileMatchesNothing) {
  const RegexList list({"(", "good", "*"});
  EXPECT_EQ(list.size(), 3u);
  EXPECT_FALSE(list.Matches("("));
  EXPECT_FALSE(list.Matches("*"));
  EXPECT_TRUE(list.Matches("good"));
  EXPECT_FALSE(list.Matches(0, "("));
  EXPECT_NE(RegexError("("), "");
  EXPECT_NE(RegexError("(?=x)"), "");
  EXPECT_EQ(RegexError("good"), "");
}

TEST(RegexListTest, LinearWhateverThePattern) {
  const RegexList list({"(a*)*b", "(a|aa)+c"});
  EXPECT_FALSE(list.Matches(std::string(200000, 'a')));
}

}  // namespace
}  // namespace tfprof
