#include "advisor/health_table.h"

#include <string>
#include <variant>
#include <vector>

#include "accounting/small_model_testing.h"
#include "advisor/fake_checkers_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;

class HealthTableTest : public ::testing::Test {
 protected:
  Advice RunAll() {
    return RunCheckers({views_, log_}, HealthCheckers(kFakeHealthCheckers), {});
  }

  const profile::Profile profile_ = accounting::SmallModel();
  views::Views views_{profile_};
  loaders::ImportLog log_;
};

std::vector<std::string> Row(const tables::DataTable& table, size_t row) {
  std::vector<tables::DataCell> cells;
  table.cells(row, cells);
  std::vector<std::string> texts;
  for (const tables::DataCell& cell : cells) {
    texts.push_back(std::get<std::string>(cell));
  }
  return texts;
}

TEST_F(HealthTableTest, GoodVerdictsAreRowsToo) {
  const tables::DataTable table = HealthTable(RunAll());
  EXPECT_EQ(table.kind, "doctor");
  ASSERT_EQ(table.num_rows, 2u);
  EXPECT_THAT(Row(table, 0), ElementsAre("ok", "fit", "all is well", ""));
  EXPECT_THAT(Row(table, 1),
              ElementsAre("warn", "hurt", "it looks odd", "look at it"));
}

TEST_F(HealthTableTest, FactsCountTheVerdicts) {
  log_.Count(loaders::ImportLog::kDamage, "record", 3);
  std::vector<std::string> facts;
  for (const auto& [column, value] : HealthTable(RunAll()).facts) {
    facts.push_back(column.name + " " +
                    std::to_string(std::get<int64_t>(value)));
  }
  EXPECT_THAT(facts, ElementsAre("bad 1", "warn 0", "ok 1"));
}

TEST_F(HealthTableTest, TheFirstBadOne) {
  EXPECT_EQ(FirstBad(RunAll()), nullptr);
  log_.Count(loaders::ImportLog::kDamage, "record", 3);
  const Advice advice = RunAll();
  const Finding* bad = FirstBad(advice);
  ASSERT_NE(bad, nullptr);
  EXPECT_EQ(bad->text, "it is damaged");
}

}  // namespace
}  // namespace tfprof::advisor
