#include "util/run/interrupt.h"

#include <signal.h>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(InterruptTest, AnInterruptRequestsCancellation) {
  Cancellation cancellation;
  const InterruptCancels interrupts(cancellation);
  EXPECT_FALSE(cancellation.requested());
  raise(SIGINT);
  EXPECT_TRUE(cancellation.requested());
}

TEST(InterruptTest, ResetsAtTheBeginningAndTheEnd) {
  Cancellation cancellation;
  cancellation.Request();
  {
    const InterruptCancels interrupts(cancellation);
    EXPECT_FALSE(cancellation.requested());
    raise(SIGINT);
  }
  EXPECT_FALSE(cancellation.requested());
}

TEST(InterruptTest, RestoresTheHandlerFoundBefore) {
  struct sigaction ignore = {}, found = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &before);
  {
    Cancellation cancellation;
    const InterruptCancels interrupts(cancellation);
    sigaction(SIGINT, nullptr, &found);
    EXPECT_NE(found.sa_handler, SIG_IGN);
  }
  sigaction(SIGINT, &before, &found);
  EXPECT_EQ(found.sa_handler, SIG_IGN);
}

}  // namespace
}  // namespace tfprof::util
