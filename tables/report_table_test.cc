// Tests reports of views as tables.

#include "tables/report_table.h"

#include <string>
#include <vector>

#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "views/views.h"

namespace tfprof::tables {
namespace {
namespace report_table_test {

using ::testing::ElementsAre;

TEST(ReportTableTest, ScopeOfSmallModel) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  views::ViewOptions options;
  options.max_depth = 2;
  options.select = {};
  options.select.Add(accounting::kParameters);
  options.select.Add(accounting::kRunCount);
  const views::Report report = views.Show(views::View::kScope, options);
  const DataTable table = ReportTable(report, nullptr);
  std::vector<std::string> names;
  for (const DataColumn& column : table.columns) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("name", "self_parameters", "total_parameters",
                                 "parameters_shape", "self_runs", "total_runs",
                                 "self_definitions", "total_definitions"));
  ASSERT_EQ(table.num_rows, report.rows.size());
  EXPECT_GT(table.total_rows, table.num_rows);
  std::vector<DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    EXPECT_EQ(cells[2],
              DataCell(report.rows[row].total[accounting::kParameters]));
    if (report.rows[row].name == "DW") {
      EXPECT_EQ(cells[1], DataCell(int64_t{162}));
      EXPECT_EQ(cells[3], TextCell("3x3x3x6"));
    }
  }
}

TEST(ReportTableTest, OpHasShares) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  const views::Report report =
      views.Show(views::View::kOp, views::ViewOptions());
  const DataTable table = ReportTable(report, nullptr);
  // The sum over this row and the rows below it is not called a total.
  EXPECT_EQ(table.columns[3].name, "cumulative_micros");
  EXPECT_EQ(table.columns[3].title, "cumulative");
  EXPECT_EQ(table.columns[4].name, "cumulative_micros_share");
  double sum = 0;
  std::vector<DataCell> cells;
  table.cells(0, cells);
  EXPECT_EQ(cells[3], DataCell(report.root_total[accounting::kMicros]));
  EXPECT_EQ(cells[4], DataCell(1.0));
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    EXPECT_EQ(table.columns[2].name, "self_micros_share");
    sum += std::get<double>(cells[2]);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(table.totals[1], DataCell(report.root_total[accounting::kMicros]));
}

// People know the step, because it is in their command.
TEST(ReportTableTest, FactsAreForPrograms) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  const views::Report report =
      views.Show(views::View::kOp, views::ViewOptions());
  for (const auto& [column, cell] : ReportTable(report, nullptr).facts) {
    EXPECT_EQ(column.title, "") << column.name;
  }
}

std::vector<std::string> Names(const DataTable& table) {
  std::vector<std::string> names;
  for (const DataColumn& column : table.columns) names.push_back(column.name);
  return names;
}

TEST(ReportTableTest, ANameIsAlwaysThere) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  views::ViewOptions options;
  options.select = {};
  for (const views::View view :
       {views::View::kScope, views::View::kGraph, views::View::kOp}) {
    const views::Report report = views.Show(view, options);
    EXPECT_THAT(Names(ReportTable(report, nullptr)), ElementsAre("name"));
  }
}

TEST(ReportTableTest, MicrosSelectsThreeTimes) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  const views::Report report =
      views.Show(views::View::kGraph, views::ViewOptions());
  EXPECT_THAT(Names(ReportTable(report, nullptr)),
              ElementsAre("name", "self_micros", "total_micros",
                          "self_accelerator_micros", "total_accelerator_micros",
                          "self_cpu_micros", "total_cpu_micros"));
}

TEST(ReportTableTest, OneColumnHasTheHeat) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  views::ViewOptions options;
  options.select.Add(accounting::kRequestedBytes);
  for (const views::View view : {views::View::kScope, views::View::kOp}) {
    const views::Report report = views.Show(view, options);
    std::vector<std::string> hot;
    for (const DataColumn& column : ReportTable(report, nullptr).columns) {
      if (column.heat) hot.push_back(column.name);
    }
    EXPECT_EQ(hot.size(), 1u);
  }
}

TEST(ReportTableTest, TextOfANode) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  views::ViewOptions options;
  options.select = {};
  options.select.Add(views::Field::kDevice);
  options.select.Add(views::Field::kOpTypes);
  options.select.Add(views::Field::kInputShapes);
  options.show_names = {"Conv2D"};
  const views::Report report = views.Show(views::View::kScope, options);
  const DataTable table = ReportTable(report, nullptr);
  EXPECT_THAT(Names(table),
              ElementsAre("name", "device", "op_types", "input_shapes"));
  std::vector<DataCell> cells;
  table.cells(0, cells);
  // The root is not a node.
  EXPECT_EQ(cells[1], DataCell());
  EXPECT_EQ(cells[3], DataCell());
  table.cells(1, cells);
  EXPECT_EQ(cells[0], TextCell("Conv2D"));
  EXPECT_EQ(cells[1], TextCell("/job:localhost/replica:0/task:0/gpu:0"));
  EXPECT_EQ(cells[3], TextCell("0:2x6x6x3|1:3x3x3x6"));
}

TEST(ReportTableTest, TotalRowsAreThoseBeforeTheFilters) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  views::ViewOptions options;
  options.show_names = {"nothing"};
  const views::Report op = views.Show(views::View::kOp, options);
  EXPECT_EQ(ReportTable(op, nullptr).num_rows, 0u);
  EXPECT_GT(ReportTable(op, nullptr).total_rows, 0u);
}

// Returns the values of one variable.
class OneTensor : public profile::TensorSource {
 public:
  const std::vector<profile::TensorInfo>& tensors() const override {
    return infos_;
  }
  absl::StatusOr<profile::TensorValue> Read(
      std::string_view name) const override {
    if (name != "DW") return absl::NotFoundError("none");
    profile::TensorValue value;
    value.shape = {2};
    value.ints = {7, 8};
    return value;
  }

 private:
  std::vector<profile::TensorInfo> infos_;
};

TEST(ReportTableTest, ValuesOfTensorsAreRead) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  views::ViewOptions options;
  options.select = {};
  options.select.Add(views::Field::kTensorValue);
  const views::Report report = views.Show(views::View::kScope, options);
  const OneTensor tensors;
  const DataTable table = ReportTable(report, &tensors);
  const DataTable without = ReportTable(report, nullptr);
  std::vector<DataCell> cells;
  size_t known = 0;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    if (!std::holds_alternative<std::string>(cells[1])) continue;
    ++known;
    EXPECT_EQ(cells[0], TextCell("DW"));
    EXPECT_EQ(cells[1], TextCell("[7 8 ],\n"));
    without.cells(row, cells);
    EXPECT_EQ(cells[1], DataCell());
  }
  EXPECT_EQ(known, 1u);
}

}  // namespace report_table_test
}  // namespace
}  // namespace tfprof::tables
