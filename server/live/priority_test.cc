#include "server/live/priority.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace tfprof::server {
namespace {

int NiceOfThisThread() {
  return getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)));
}

TEST(PriorityTest, AThreadIsLoweredAndThoseThatItStarts) {
  const int before = NiceOfThisThread();
  int lowered = 0, below = 0;
  std::thread([&] {
    LowerThread();
    lowered = NiceOfThisThread();
    std::thread([&] { below = NiceOfThisThread(); }).join();
  }).join();
  EXPECT_EQ(lowered, 19);
  EXPECT_EQ(below, 19);
  EXPECT_EQ(NiceOfThisThread(), before) << "others stay as they are";
}

// "/autogroup-12 nice 19"; "": the kernel has no groups.
std::string OwnGroup() {
  std::string text;
  std::getline(std::ifstream("/proc/self/autogroup"), text);
  return text;
}

TEST(PriorityTest, OnlyTheLeaderOfASessionLowersItsGroup) {
  if (OwnGroup().empty()) GTEST_SKIP() << "the kernel has no groups";
  for (const bool leads : {false, true}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      // A session of its own, so that the group of the tests stays as it is.
      if (setsid() < 0) _exit(2);
      const std::string before = OwnGroup();
      if (leads) {
        // The kernel lets users change a group every 0.1 seconds only.
        for (int i = 0; i < 100 && OwnGroup() == before; ++i) {
          LowerOwnGroup();
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        _exit(OwnGroup().ends_with(" nice 19") ? 0 : 1);
      }
      const pid_t member = fork();
      if (member == 0) {
        LowerOwnGroup();
        _exit(OwnGroup() == before ? 0 : 1);
      }
      int status = 1;
      waitpid(member, &status, 0);
      _exit(WEXITSTATUS(status));
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "leads: " << leads;
  }
}

}  // namespace
}  // namespace tfprof::server
