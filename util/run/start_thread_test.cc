#include "util/run/start_thread.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(StartThreadTest, ItRuns) {
  bool ran = false;
  StartThread([&] { ran = true; }).join();
  EXPECT_TRUE(ran);
}

// Runs in its own process, which can start no threads afterwards.
void StartOneTooMany() {
  // The limit does not apply to root.
  if (getuid() == 0 && setuid(65534) != 0) std::_Exit(3);
  const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_NPROC, &none);
  std::_Exit(StartThread([] {}).joinable() ? 1 : 0);
}

TEST(StartThreadTest, WithoutOneLeftThereIsNone) {
  EXPECT_EXIT(StartOneTooMany(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tfprof::util
