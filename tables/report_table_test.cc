// Reports of views as tables.

#include "tables/report_table.h"

#include <string>
#include <vector>

#include "accounting/small_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "views/views.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;

TEST(ReportTableTest, ScopeOfSmallModel) {
  const Profile profile = SmallModel();
  Views views(profile);
  ViewOptions options;
  options.max_depth = 2;
  options.select = {};
  options.select.Add(kParameters);
  options.select.Add(kRunCount);
  const Report report = views.Show(View::kScope, options);
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
    EXPECT_EQ(cells[2], DataCell(report.rows[row].total[kParameters]));
    if (report.rows[row].name == "DW") {
      EXPECT_EQ(cells[1], DataCell(int64_t{162}));
      EXPECT_EQ(cells[3], TextCell("3x3x3x6"));
    }
  }
}

TEST(ReportTableTest, OpHasShares) {
  const Profile profile = SmallModel();
  Views views(profile);
  const Report report = views.Show(View::kOp, ViewOptions());
  const DataTable table = ReportTable(report, nullptr);
  // The sum of this row and those below it is not called a total.
  EXPECT_EQ(table.columns[3].name, "cumulative_micros");
  EXPECT_EQ(table.columns[3].title, "cumulative");
  EXPECT_EQ(table.columns[4].name, "cumulative_micros_share");
  double sum = 0;
  std::vector<DataCell> cells;
  table.cells(0, cells);
  EXPECT_EQ(cells[3], DataCell(report.root_total[kMicros]));
  EXPECT_EQ(cells[4], DataCell(1.0));
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    EXPECT_EQ(table.columns[2].name, "self_micros_share");
    sum += std::get<double>(cells[2]);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(table.totals[1], DataCell(report.root_total[kMicros]));
}

// People know the step from their command.
TEST(ReportTableTest, FactsAreForPrograms) {
  const Profile profile = SmallModel();
  Views views(profile);
  const Report report = views.Show(View::kOp, ViewOptions());
  for (const auto& [column, cell] : ReportTable(report, nullptr).facts) {
    EXPECT_EQ(column.title, "") << column.name;
  }
}

}  // namespace
}  // namespace tfprof
