#include "loaders/ctf/model/step_numbers.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::ctf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int64_t> Counts(const TraceFacts& facts) {
  std::vector<int64_t> counts;
  for (const SessionRun& session : facts.sessions)
    counts.push_back(session.count);
  return counts;
}

SessionRun At(int64_t count, int64_t begin, uint32_t process = 0) {
  return {.process = process, .count = count, .begin = begin, .end = begin + 1};
}

Interval Op(int64_t step) {
  Interval op;
  op.step = step;
  return op;
}

TEST(StepNumbersTest, UsualNumbersStay) {
  TraceFacts facts;
  facts.sessions = {At(7, 10), At(3, 20), At(0, 30)};
  facts.ops = {Op(7), Op(-1)};
  loaders::ImportLog log;
  NumberSteps(facts, log);
  EXPECT_THAT(Counts(facts), ElementsAre(7, 3, 0));
  EXPECT_EQ(facts.ops[0].step, 7);
  EXPECT_TRUE(log.Lines().empty());
}

constexpr int64_t kA = -9009257345868748620, kB = 8000000000000000001;

TEST(StepNumbersTest, RandomNumbersBecomeTheOrder) {
  TraceFacts facts;
  facts.sessions = {At(kB, 50), At(kA, 20), At(kA, 10, 1)};
  loaders::ImportLog log;
  NumberSteps(facts, log);
  EXPECT_THAT(Counts(facts), ElementsAre(1, 0, 0));
}

TEST(StepNumbersTest, TheyFollowThoseOfSessions) {
  TraceFacts facts;
  facts.sessions = {At(kB, 50), At(kA, 20), At(5, 30), At(kA, 25, 1)};
  facts.ops = {Op(kA), Op(kB), Op(-1), Op(12345)};
  facts.async_ops = {Op(5)};
  loaders::ImportLog log;
  NumberSteps(facts, log);
  EXPECT_THAT(Counts(facts), ElementsAre(7, 6, 5, 6));
  EXPECT_EQ(facts.ops[0].step, 6);
  EXPECT_EQ(facts.ops[1].step, 7);
  EXPECT_EQ(facts.ops[2].step, -1);
  EXPECT_EQ(facts.ops[3].step, -1);  // in no step
  EXPECT_EQ(facts.async_ops[0].step, 5);
  EXPECT_THAT(log.Lines(),
              ElementsAre(HasSubstr("gave 2 steps random numbers; here they "
                                    "are 6 to 7")));
}

}  // namespace
}  // namespace tfprof::ctf
