#include "util/run/threads.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(ThreadsTest, AtLeastOneThread) {
  EXPECT_GE(NumThreads({}), 1);
  EXPECT_EQ(NumThreads({.threads = 1}), 1);
  EXPECT_EQ(NumThreads({.threads = 9}), 9);
}

TEST(ThreadsTest, EachCallIsMadeOnce) {
  for (const int threads : {1, 2, 8}) {
    std::vector<std::atomic<int>> calls(1000);
    ParallelFor({.threads = threads}, calls.size(),
                [&](size_t i) { ++calls[i]; });
    for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
  }
  ParallelFor({}, 0, [](size_t) { FAIL() << "nothing to call"; });
}

TEST(ThreadsTest, OneThreadIsTheCallersOwn) {
  std::set<std::thread::id> ids;
  ParallelFor({.threads = 1}, 10,
              [&](size_t) { ids.insert(std::this_thread::get_id()); });
  EXPECT_THAT(ids, ElementsAre(std::this_thread::get_id()));
}

// Calls start in order, so a call that waits for the one before it ends.
TEST(ThreadsTest, ACallMayWaitForAnEarlierOne) {
  std::atomic<size_t> done = 0;
  ParallelFor({.threads = 4}, 100, [&](size_t i) {
    while (done.load() < i) std::this_thread::yield();
    ++done;
  });
  EXPECT_EQ(done, 100u);
}

TEST(ThreadsTest, RangesCoverEverythingOnce) {
  for (const size_t n : {0, 1, 1000, 100000}) {
    for (const int threads : {1, 3, 8}) {
      std::mutex mutex;
      std::set<std::pair<size_t, size_t>> ranges;
      ParallelRanges({.threads = threads}, n, [&](size_t begin, size_t end) {
        const std::lock_guard<std::mutex> lock(mutex);
        ranges.insert({begin, end});
      });
      EXPECT_EQ(ranges.size(), NumRanges({.threads = threads}, n));
      size_t covered = 0;
      for (const auto& [begin, end] : ranges) {
        EXPECT_EQ(begin, covered);
        covered = end;
      }
      EXPECT_EQ(covered, n);
    }
  }
}

TEST(ThreadsTest, FewThingsAreOneRange) {
  EXPECT_EQ(NumRanges({.threads = 8}, 100), 1u);
  EXPECT_EQ(NumRanges({.threads = 8}, 1 << 20), 8u);
}

TEST(ThreadsTest, ThePipelineMergesInOrder) {
  for (const int threads : {1, 2, 8}) {
    std::vector<size_t> squares(500), merged;
    ParallelPipeline(
        {.threads = threads}, squares.size(),
        [&](size_t i) { squares[i] = i * i; },
        [&](size_t i) { merged.push_back(squares[i]); });
    ASSERT_EQ(merged.size(), squares.size());
    for (size_t i = 0; i < merged.size(); ++i) EXPECT_EQ(merged[i], i * i);
  }
}

// The number of results that are not merged yet is bounded.
TEST(ThreadsTest, ThePipelineIsNeverFarAheadOfTheMerge) {
  constexpr int kThreads = 3;
  std::atomic<size_t> made = 0, merged = 0, most = 0;
  ParallelPipeline(
      {.threads = kThreads}, 1000,
      [&](size_t) {
        const size_t ahead = ++made - merged;
        for (size_t seen = most; seen < ahead;) {
          if (most.compare_exchange_weak(seen, ahead)) break;
        }
      },
      [&](size_t) { ++merged; });
  EXPECT_EQ(merged, 1000u);
  // A call may increment its counter before the merge increments its own.
  EXPECT_LE(most, size_t{5} * kThreads);
}

// Runs in its own process, which can start no threads afterwards.
void CountWithoutThreads() {
  // The limit does not apply to root.
  if (getuid() == 0 && setuid(65534) != 0) std::_Exit(3);
  const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_NPROC, &none);
  size_t calls = 0, merged = 0;
  ParallelFor({.threads = 8}, 100, [&](size_t) { ++calls; });
  ParallelPipeline(
      {.threads = 8}, 100, [&](size_t) { ++calls; }, [&](size_t) { ++merged; });
  std::_Exit(calls == 200 && merged == 100 ? 0 : 1);
}

TEST(ThreadsTest, WithoutThreadsTheCallerDoesTheWork) {
  EXPECT_EXIT(CountWithoutThreads(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tfprof::util
