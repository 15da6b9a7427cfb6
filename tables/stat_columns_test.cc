#include "tables/stat_columns.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::tables {
namespace {

using ::testing::ElementsAre;

class StatColumnsTest : public testing::Test {
 protected:
  // "name" of each column; "(name)" if it is only for programs.
  static std::vector<std::string> Names(const StatColumns& numbers) {
    std::vector<DataColumn> columns;
    numbers.Append(columns);
    std::vector<std::string> names;
    for (const DataColumn& column : columns) {
      names.push_back(column.data_only ? "(" + column.name + ")" : column.name);
    }
    return names;
  }

  const profile::Profile profile_;
  accounting::Stats whole_ = {};
};

TEST_F(StatColumnsTest, OneTimeHasOneColumn) {
  whole_[accounting::kMicros] = 50;
  whole_[accounting::kCpuMicros] = 50;
  StatColumns numbers(profile_, whole_, "total_");
  EXPECT_FALSE(numbers.has_both_times());
  numbers.Add(accounting::kRunCount);
  numbers.AddTimes();
  EXPECT_THAT(Names(numbers),
              ElementsAre("total_runs", "total_micros", "total_micros_share"));
  accounting::Stats row = {};
  row[accounting::kRunCount] = 3;
  row[accounting::kMicros] = 10;
  std::vector<DataCell> cells;
  numbers.Append(row, cells);
  EXPECT_THAT(cells, ElementsAre(DataCell(int64_t{3}), DataCell(int64_t{10}),
                                 DataCell(0.2)));
}

TEST_F(StatColumnsTest, TwoTimesHaveTwoAndASumForPrograms) {
  whole_[accounting::kMicros] = 100;
  whole_[accounting::kAcceleratorMicros] = 80;
  whole_[accounting::kCpuMicros] = 20;
  StatColumns numbers(profile_, whole_);
  EXPECT_TRUE(numbers.has_both_times());
  EXPECT_FALSE(numbers.Has(accounting::kCpuMicros));
  numbers.AddTimes();
  EXPECT_TRUE(numbers.Has(accounting::kCpuMicros));
  EXPECT_EQ(numbers.FactColumn(accounting::kMicros).title, "");
  EXPECT_EQ(numbers.FactColumn(accounting::kCpuMicros).title, "cpu");
  EXPECT_THAT(Names(numbers),
              ElementsAre("(micros)", "(micros_share)", "accelerator_micros",
                          "accelerator_micros_share", "cpu_micros",
                          "cpu_micros_share"));
  accounting::Stats row = {};
  row[accounting::kMicros] = 50;
  row[accounting::kAcceleratorMicros] = 40;
  row[accounting::kCpuMicros] = 10;
  std::vector<DataCell> cells;
  numbers.Append(row, cells);
  EXPECT_THAT(cells, ElementsAre(DataCell(int64_t{50}), DataCell(0.5),
                                 DataCell(int64_t{40}), DataCell(0.5),
                                 DataCell(int64_t{10}), DataCell(0.5)));
  numbers.AppendNothing(cells);
  EXPECT_EQ(cells.size(), 12u);
}

}  // namespace
}  // namespace tfprof::tables
