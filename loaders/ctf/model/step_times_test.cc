#include "loaders/ctf/model/step_times.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/ctf/model/host_clocks.h"
#include "profile/steps/step.h"

namespace tfprof::ctf {
namespace {
namespace step_times_test {

using ::testing::ElementsAre;

// Makes two processes on two hosts.
TraceFacts TwoHosts() {
  TraceFacts facts;
  facts.processes.resize(2);
  facts.processes[0].host = facts.names.Intern("a");
  facts.processes[1].host = facts.names.Intern("b");
  return facts;
}

TEST(StepTimes, ATimeIsInTheSessionThatBeganLast) {
  TraceFacts facts = TwoHosts();
  facts.sessions = {{0, 5, 100, 400, profile::kNone},
                    {0, 6, 200, 300, profile::kNone}};
  StepTimes times(facts, {});
  EXPECT_EQ(times.StepAt(0, 150), 5);
  EXPECT_EQ(times.StepAt(0, 200), 6);
  EXPECT_EQ(times.StepAt(0, 300), 6);
  EXPECT_EQ(times.StepAt(0, 301), 5) << "the outer one is still open";
  EXPECT_THAT(times.steps(), ElementsAre(5, 6));
  EXPECT_EQ(times.StepAt(0, 401), profile::kOutsideSteps);
  EXPECT_TRUE(times.steps().contains(profile::kOutsideSteps));
  EXPECT_TRUE(times.HasSession(0, 5));
  EXPECT_FALSE(times.HasSession(1, 5));
}

TEST(StepTimes, AProcessWithoutSessionsHasThoseOfOthers) {
  TraceFacts facts = TwoHosts();
  facts.sessions = {{0, 5, 100, 400, profile::kNone}};
  StepTimes times(facts, {});
  EXPECT_EQ(times.StepAt(1, 150), 5);
  EXPECT_EQ(times.StepAt(1, 50), profile::kOutsideSteps);
}

TEST(StepTimes, WithoutSessionsEverythingIsStepZero) {
  const TraceFacts facts = TwoHosts();
  StepTimes times(facts, {});
  EXPECT_EQ(times.StepAt(1, -7), 0);
  EXPECT_THAT(times.steps(), ElementsAre(0));
}

TEST(StepTimes, TimesOfAHostWithAKnownClockAreMoved) {
  TraceFacts facts = TwoHosts();
  facts.sessions = {{1, 3, 1100, 1200, profile::kNone}};
  HostClock clock;
  clock.host = facts.processes[1].host;
  clock.reference = facts.processes[0].host;
  clock.bounds = ConstantClock(ClockBounds::kRequests, 1000, 1000);
  StepTimes times(facts, {clock});
  EXPECT_EQ(times.Moved(0, 150), 150);
  EXPECT_EQ(times.Moved(1, 1150), 150);
  EXPECT_EQ(times.StepAt(1, 150), 3) << "sessions are moved too";
}

}  // namespace step_times_test
}  // namespace
}  // namespace tfprof::ctf
