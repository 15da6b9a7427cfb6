#include "util/run/memory_limit.h"

#include <cstdlib>
#include <string>
#include <thread>

#include "gtest/gtest.h"

// These exist only in builds with sanitizers, which allocate memory themselves.
// A macro would not reveal it: the build for TSan undefines the compiler's
// macro (see .bazelrc).
extern "C" {
__attribute__((weak)) void __asan_init();
__attribute__((weak)) void __tsan_init();
}
#define NO_LIMITS_HERE                                    \
  if (__asan_init != nullptr || __tsan_init != nullptr) { \
    GTEST_SKIP() << "the sanitizer allocates by itself";  \
  }

namespace tfprof::util {
namespace {

constexpr size_t kFar = size_t{1} << 46;  // bytes; more than any machine has

void Take(size_t bytes) {
  const std::string taken(bytes, 'x');
  std::_Exit(taken.back() == 'x' ? 0 : 9);
}

TEST(MemoryLimitTest, WithoutMemoryTheProgramEndsWithALine) {
  NO_LIMITS_HERE;
  EXPECT_EXIT(
      {
        EndWithoutMemory(7);
        Take(kFar);
      },
      testing::ExitedWithCode(7), "out of memory: the system has no more");
}

TEST(MemoryLimitTest, AlsoInAThread) {
  NO_LIMITS_HERE;
  EXPECT_EXIT(
      {
        EndWithoutMemory(7);
        std::thread([] { Take(kFar); }).join();
      },
      testing::ExitedWithCode(7), "out of memory");
}

TEST(MemoryLimitTest, ALimitEndsWhatNeedsMore) {
  NO_LIMITS_HERE;
  EXPECT_EXIT(
      {
        EndWithoutMemory(7);
        LimitMemory(1 << 20, 1);
        Take(2 * kProgramBytes);
      },
      testing::ExitedWithCode(7), "needs more than --max_memory allows");
  EXPECT_EXIT(
      {
        EndWithoutMemory(7);
        LimitMemory(1 << 20, 1);
        Take(kProgramBytes / 2);
      },
      testing::ExitedWithCode(0), "");
}

TEST(MemoryLimitTest, ZeroIsNoLimit) {
  NO_LIMITS_HERE;
  EXPECT_EXIT(
      {
        LimitMemory(0, 1);
        Take(2 * kProgramBytes);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tfprof::util
