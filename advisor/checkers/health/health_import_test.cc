#include "advisor/checkers/health/health_testing.h"

namespace tfprof::advisor {
namespace {

using HealthImportTest = HealthTest;

TEST_F(HealthImportTest, AllWasRead) {
  RanOn(Node("a", "Op"), kCpuA, 10, 5);
  EXPECT_EQ(Verdict("ImportChecker"), "ok: all was read");
  EXPECT_EQ(findings_[0].value, 0);
}

TEST_F(HealthImportTest, DamageIsBad) {
  RanOn(Node("a", "Op"), kCpuA, 10, 5);
  log_.Count(loaders::ImportLog::kDamage, "record", 3);
  log_.Count(loaders::ImportLog::kNotice, "node", 2);
  EXPECT_EQ(Verdict("ImportChecker"), "bad: 3 records could not be read");
  EXPECT_EQ(findings_[0].value, 3);
  EXPECT_EQ(findings_[0].evidence, "status");
}

TEST_F(HealthImportTest, ARemarkIsNoDamage) {
  log_.Count(loaders::ImportLog::kNotice, "node", 2);
  EXPECT_EQ(Verdict("ImportChecker"),
            "ok: no record is damaged; status lists 2 notes");
}

TEST_F(HealthImportTest, SumsAloneAreAWarning) {
  builder_.SetMaxMemory(1);
  RanOn(Node("a", "Op"), kCpuA, 10, 5);
  builder_.FinishStep(0);
  EXPECT_EQ(Verdict("ImportChecker"),
            "warn: 1 of 1 steps are kept as sums only");
}

}  // namespace
}  // namespace tfprof::advisor
