#include "profiler/tui/tree_rows.h"

#include <memory>
#include <string>
#include <vector>

#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands.h"
#include "profiler/tui/tui_testing.h"
#include "tables/cell_text.h"

namespace tfprof::tui {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TreeRowsTest : public testing::Test {
 protected:
  std::unique_ptr<TreeRows> Make(views::View view,
                                 const views::ViewOptions& options = {}) {
    auto rows = MakeRows(view, options, workspace_);
    EXPECT_TRUE(rows.ok()) << rows.status();
    return rows.ok() ? *std::move(rows) : nullptr;
  }

  static std::vector<std::string> LabelsBelow(const TreeRows& rows,
                                              uint32_t row) {
    std::vector<std::string> labels;
    for (const uint32_t child : rows.Children(row)) {
      labels.emplace_back(rows.Label(child));
    }
    return labels;
  }

  // The child of this label.
  static uint32_t Child(const TreeRows& rows, uint32_t row,
                        std::string_view label) {
    for (const uint32_t child : rows.Children(row)) {
      if (rows.Label(child) == label) return child;
    }
    ADD_FAILURE() << "no row " << label;
    return kTopRow;
  }

  static double Number(const TreeRows& rows, uint32_t row,
                       const Measure& measure, size_t column = 0) {
    std::vector<tables::DataCell> cells;
    rows.Cells(row, measure, cells);
    return tables::NumberOf(cells.at(column));
  }

  // The number that a command says about a row.
  double Answered(std::string_view line_command, std::string_view name,
                  std::string_view column) {
    commands::Command command;
    command.info = commands::FindCommand(line_command);
    const tables::Answer answer = tfprof::commands::Run(command, workspace_);
    const tables::DataTable& table = answer.data.parts.at(0).table;
    std::vector<tables::DataCell> cells;
    for (size_t row = 0; row < table.num_rows; ++row) {
      table.cells(row, cells);
      if (std::get<std::string>(cells[0]) != name) continue;
      for (size_t c = 0; c < cells.size(); ++c) {
        if (table.columns[c].name == column) return tables::NumberOf(cells[c]);
      }
    }
    ADD_FAILURE() << line_command << " has no " << column << " of " << name;
    return -1;
  }

  commands::Workspace workspace_ = TreeWorkspace();
};

TEST_F(TreeRowsTest, ScopesHaveTheLastPartsOfNames) {
  const auto rows = Make(views::View::kScope);
  EXPECT_THAT(LabelsBelow(*rows, kTopRow), ElementsAre("a", "d", "x\ny"));
  const uint32_t a = Child(*rows, kTopRow, "a");
  EXPECT_THAT(LabelsBelow(*rows, a), ElementsAre("b", "c"));
  EXPECT_EQ(rows->Name(Child(*rows, a, "b")), "a/b");
  EXPECT_TRUE(rows->HasChildren(a));
  EXPECT_FALSE(rows->HasChildren(Child(*rows, a, "c")));
}

TEST_F(TreeRowsTest, NumbersAreThoseOfTheViews) {
  const auto scope = Make(views::View::kScope);
  const uint32_t a = Child(*scope, kTopRow, "a");
  EXPECT_EQ(Number(*scope, a, {}), Answered("scope", "a", "total_micros"));
  EXPECT_EQ(Number(*scope, Child(*scope, a, "b"), {}),
            Answered("scope", "a/b", "total_micros"));
  const auto op = Make(views::View::kOp);
  for (const char* name : {"MatMul", "Add", "Conv"}) {
    const uint32_t row = Child(*op, kTopRow, name);
    EXPECT_EQ(Number(*op, row, {}), Answered("op", name, "self_micros"));
    EXPECT_EQ(Number(*op, row, {}, 1),
              Answered("op", name, "self_micros_share"));
  }
}

TEST_F(TreeRowsTest, TheChildrenOfAnOpAreItsNodes) {
  const auto rows = Make(views::View::kOp);
  const uint32_t matmul = Child(*rows, kTopRow, "MatMul");
  EXPECT_THAT(LabelsBelow(*rows, matmul), ElementsAre("a/b/slow", "a/c"));
  double sum = 0;
  for (const uint32_t node : rows->Children(matmul)) {
    EXPECT_FALSE(rows->HasChildren(node));
    sum += Number(*rows, node, {});
  }
  EXPECT_EQ(sum, Number(*rows, matmul, {}));
}

TEST_F(TreeRowsTest, AStepHasItsOwnNumbers) {
  views::ViewOptions options;
  options.step = 7;
  const auto rows = Make(views::View::kScope, options);
  EXPECT_EQ(Number(*rows, Child(*rows, kTopRow, "a"), {}), 675);
  options.step = 5;
  EXPECT_EQ(MakeRows(views::View::kScope, options, workspace_).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(TreeRowsTest, TypesThatAreNotAccountedAreNotShown) {
  views::ViewOptions options;
  options.account_types = {"Conv"};
  EXPECT_THAT(LabelsBelow(*Make(views::View::kOp, options), kTopRow),
              ElementsAre("Conv"));
  EXPECT_THAT(LabelsBelow(*Make(views::View::kScope, options), kTopRow),
              ElementsAre("d"));
}

TEST_F(TreeRowsTest, MeasuresAreThoseOfWhichThereIsSome) {
  const std::vector<Measure> measures = Make(views::View::kScope)->Measures();
  EXPECT_EQ(measures.front(), Measure());
  EXPECT_TRUE(measures[1].self);
  EXPECT_TRUE(measures.back().by_name);
  for (const Measure& measure : measures) {
    EXPECT_NE(measure.stat, accounting::kParameters);
    EXPECT_NE(measure.stat, accounting::kCpuMicros) << "it is all of the time";
  }
}

TEST_F(TreeRowsTest, WhatNeverRanIsMeasuredByItsParameters) {
  loaders::Loaded loaded;
  profile::ProfileBuilder builder(accounting::TfprofRules());
  profile::GraphTables& tables = builder.mutable_graph();
  const profile::NodeId weights =
      builder.AddNode("w", "VariableV2", profile::kNoRecord);
  tables.nodes.parameter_shape[weights] =
      tables.shapes.Intern(std::vector<int64_t>{3, 4});
  builder.AddType(weights, tables.strings.Intern("_trainable_variables"));
  loaded.profile = std::move(builder).Build();
  commands::Workspace graph(std::move(loaded), {});
  auto rows = MakeRows(views::View::kScope, {}, graph);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ((*rows)->Measures().front(),
            Measure{.stat = accounting::kParameters});
}

TEST_F(TreeRowsTest, WithoutCallStacksThereIsNoCode) {
  EXPECT_THAT(MakeRows(views::View::kCode, {}, workspace_).status().message(),
              HasSubstr("No code trace"));
}

TEST_F(TreeRowsTest, DetailsOfANodeAreThoseOfShow) {
  const auto rows = Make(views::View::kOp);
  const uint32_t matmul = Child(*rows, kTopRow, "MatMul");
  const std::vector<uint32_t> path = {matmul, Child(*rows, matmul, "a/c")};
  commands::Command show;
  show.info = commands::FindCommand("show");
  show.arguments = {"a/c"};
  const tables::Answer answer = tfprof::commands::Run(show, workspace_);
  const tables::DataDocument details = rows->Details(path);
  // The first fact of an answer is its command.
  ASSERT_EQ(details.facts.size() + 1, answer.data.facts.size());
  for (size_t i = 0; i < details.facts.size(); ++i) {
    EXPECT_EQ(details.facts[i].first.title,
              answer.data.facts[i + 1].first.title);
    EXPECT_EQ(details.facts[i].second, answer.data.facts[i + 1].second);
  }
}

TEST_F(TreeRowsTest, DetailsOfAScopeNameTheNodesBelow) {
  const auto rows = Make(views::View::kScope);
  const uint32_t a = Child(*rows, kTopRow, "a");
  const tables::DataDocument details = rows->Details(std::vector<uint32_t>{a});
  ASSERT_EQ(details.parts.size(), 1u);
  EXPECT_EQ(details.parts[0].table.num_rows, 3u);
  // All nodes.
  EXPECT_EQ(rows->Details({}).parts.at(0).table.num_rows, 6u);
}

TEST_F(TreeRowsTest, AProfileWithoutNodesHasOneRow) {
  loaders::Loaded loaded;
  loaded.profile = profile::ProfileBuilder(accounting::TfprofRules()).Build();
  commands::Workspace empty(std::move(loaded), {});
  for (const views::View view :
       {views::View::kScope, views::View::kGraph, views::View::kOp}) {
    auto rows = MakeRows(view, {}, empty);
    ASSERT_TRUE(rows.ok());
    EXPECT_FALSE((*rows)->HasChildren(kTopRow));
    EXPECT_TRUE((*rows)->Children(kTopRow).empty());
  }
}

class DiffRowsTest : public TreeRowsTest {
 protected:
  DiffRowsTest() {
    loaders::Loaded loaded;
    loaded.profile = accounting::SmallModel();
    auto base = std::make_shared<commands::Base>();
    base->name = "small.pb";
    base->opened = std::make_shared<commands::OpenProfile>(std::move(loaded));
    workspace_.base = base;
  }
};

TEST_F(DiffRowsTest, HasRowsOfBothProfiles) {
  auto rows =
      MakeDiffRows(views::View::kOp, {}, accounting::kMicros, workspace_);
  ASSERT_TRUE(rows.ok()) << rows.status();
  const uint32_t conv = Child(**rows, kTopRow, "Conv2D");
  const std::vector<tables::DataColumn> columns = (*rows)->Columns({});
  // Of accelerators and of CPUs.
  ASSERT_EQ(columns.size(), 8u);
  EXPECT_EQ(columns[0].title, "accelerator before");
  EXPECT_EQ(columns[4].title, "cpu before");
  EXPECT_GT(Number(**rows, conv, {}, 0), 0);
  EXPECT_LT(Number(**rows, conv, {}, 2), 0) << "it is gone";
  Child(**rows, kTopRow, "MatMul");
}

TEST_F(DiffRowsTest, TreesHaveLabels) {
  auto rows =
      MakeDiffRows(views::View::kScope, {}, accounting::kMicros, workspace_);
  ASSERT_TRUE(rows.ok()) << rows.status();
  const uint32_t a = Child(**rows, kTopRow, "a");
  EXPECT_THAT(LabelsBelow(**rows, a), ElementsAre("b", "c"));
  const uint32_t b = Child(**rows, a, "b");
  EXPECT_EQ((*rows)->Name(Child(**rows, b, "slow")), "a/b/slow");
  bool has_status = false;
  for (const auto& [column, cell] :
       (*rows)->Details(std::vector<uint32_t>{a, b}).facts) {
    has_status |= column.name == "status" && cell == tables::DataCell("new");
  }
  EXPECT_TRUE(has_status);
}

TEST_F(DiffRowsTest, EqualProfilesHaveNoRows) {
  auto base = std::make_shared<commands::Base>();
  base->opened = workspace_.opened;
  workspace_.base = base;
  for (const views::View view :
       {views::View::kScope, views::View::kGraph, views::View::kOp}) {
    auto rows = MakeDiffRows(view, {}, accounting::kMicros, workspace_);
    ASSERT_TRUE(rows.ok()) << rows.status();
    EXPECT_FALSE((*rows)->HasChildren(kTopRow));
    std::vector<tables::DataCell> cells;
    (*rows)->Cells(kTopRow, {}, cells);
    EXPECT_EQ(cells.size(), (*rows)->Columns({}).size());
  }
}

TEST_F(DiffRowsTest, AStepThatTheBaseLacksIsAnError) {
  views::ViewOptions options;
  options.step = 7;
  EXPECT_THAT(
      MakeDiffRows(views::View::kOp, options, accounting::kMicros, workspace_)
          .status()
          .message(),
      HasSubstr("has no step 7"));
}

}  // namespace
}  // namespace tfprof::tui
