#include "util/run/self_profile.h"

#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// There is one test only, because the recorder is global.
TEST(SelfProfileTest, PhasesOfAllThreadsOnceItIsEnabled) {
  { const ScopedPhase before("before"); }
  EXPECT_FALSE(SelfProfile::enabled());
  EXPECT_EQ(SelfProfile::ChromeTrace(), "{\"traceEvents\":[\n]}\n");
  SelfProfile::Enable();
  {
    const ScopedPhase outer("outer", "a \"file\"\n\\\xff");
    std::thread([] { const ScopedPhase inner("inner"); }).join();
  }
  const std::string trace = SelfProfile::ChromeTrace();
  EXPECT_THAT(trace, Not(HasSubstr("before")));
  // Phases are in the order of their starts, and threads are numbered in that
  // order too.
  EXPECT_THAT(trace, HasSubstr("{\"name\":\"outer\",\"ph\":\"X\",\"pid\":0,"
                               "\"tid\":0,\"ts\":0.000,"));
  EXPECT_THAT(trace, HasSubstr("\"detail\":\"a \\\"file\\\"?\\\\?\""));
  EXPECT_LT(trace.find("outer"), trace.find("inner"));
  EXPECT_THAT(trace, HasSubstr("\"inner\",\"ph\":\"X\",\"pid\":0,\"tid\":1"));
}

}  // namespace
}  // namespace tfprof::util
