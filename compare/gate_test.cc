// At least 99 % of the regressions must fail the default gate, and at most 1 %
// of the reruns.

#include <cstdio>

#include "compare/gate_testing.h"
#include "gtest/gtest.h"

namespace tfprof::compare {
namespace {

void ExpectGood(const GateCounts& counts) {
  std::fputs(GateTable(counts).c_str(), stdout);
  EXPECT_GE(counts.found, kGateRuns * 99 / 100);
  EXPECT_LE(counts.alarms, kGateRuns / 100);
}

TEST(GateTest, FindsRegressionsAndKeepsQuietAboutReruns) {
  ExpectGood(TryGate(GateFamily::kSteady));
}

TEST(GateTest, FindsRegressionsOfSomeStepsOfAProgramThatSaves) {
  ExpectGood(TryGate(GateFamily::kCheckpoints));
}

}  // namespace
}  // namespace tfprof::compare
