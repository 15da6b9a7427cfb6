#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/advisor_testing.h"
#include "fmt/format.h"
#include "timeline/calls_testing.h"

namespace tfprof::advisor {
namespace {
namespace threads_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ThreadTest : public AdvisorTest {
 protected:
  // A call on the thread `thread`, which is called "worker-1".
  void Call(std::string_view name, int64_t start, int64_t micros,
            int64_t thread = 1) {
    model_.Op(name, start, micros, thread);
    profile::GraphTables& graph = model_.trace.graph();
    const profile::LaneId lane =
        model_.trace.Thread(thread, profile::LaneKind::kCompute);
    graph.lanes.mutable_lane(lane).name =
        graph.strings.Intern(fmt::format("worker-{}", thread));
  }
  std::vector<std::string> Texts() {
    return CheckProfile(std::move(model_.trace).Build(), "ThreadChecker");
  }

  timeline::CallsModel model_;
};

TEST_F(ThreadTest, ALockThatAnotherThreadHolds) {
  for (int64_t i = 0; i < 5; ++i) {
    const int64_t start = 10'000 * i;
    Call("handle", start, 10'000, 1);
    Call("pthread_mutex_lock", start + 1000, 6000, 1);
    Call("futex", start + 1500, 5000, 1);
    Call("flush", start, 6900, 2);
  }
  EXPECT_THAT(Texts(),
              ElementsAre("thread worker-1 waits for locks for 60.0% of the "
                          "time (30.00ms of 50.00ms): pthread_mutex_lock in "
                          "handle; for 98.3% of it thread worker-2 is in "
                          "flush"));
  EXPECT_EQ(findings_[0].rule, "lock_wait");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

// Who holds the lock was not recorded.
TEST_F(ThreadTest, ALockThatNobodySeemsToHold) {
  Call("handle", 0, 10'000, 1);
  Call("pthread_mutex_lock", 1000, 6000, 1);
  EXPECT_THAT(Texts(),
              ElementsAre("thread worker-1 waits for locks for 60.0% of the "
                          "time (6.00ms of 10.00ms): pthread_mutex_lock in "
                          "handle"));
}

TEST_F(ThreadTest, AThreadWithoutWorkWaitsForSome) {
  Call("pthread_cond_wait", 0, 10'000, 1);
  Call("serve", 0, 10'000, 2);
  EXPECT_THAT(Texts(), IsEmpty());
}

TEST_F(ThreadTest, OneOfSeveralThreadsHasMostOfTheWork) {
  for (int64_t thread = 1; thread <= 5; ++thread) {
    const int64_t work = thread == 3 ? 9000 : 3000;
    Call("chunk", 0, work, thread);
    Call("wait_barrier", work, 10'000 - work, thread);
  }
  EXPECT_THAT(Texts(),
              ElementsAre("thread worker-3 works for 90.0% of the time "
                          "(9.00ms of 10.00ms), the median of the 4 others of "
                          "its kind for 3.00ms; most of it is chunk (9.00ms)"));
  EXPECT_EQ(findings_[0].rule, "uneven_threads");
  EXPECT_EQ(findings_[0].saving_micros, 4800);
}

TEST_F(ThreadTest, ThreadsWithTheSameWorkAreFine) {
  for (int64_t thread = 1; thread <= 5; ++thread) {
    Call("chunk", 0, 9000 + 100 * thread, thread);
  }
  EXPECT_THAT(Texts(), IsEmpty());
}

// The others have nothing to do, and nobody waits for the one.
TEST_F(ThreadTest, OneThreadOfAPoolWithLittleWork) {
  for (int64_t thread = 1; thread <= 5; ++thread) {
    Call("chunk", 0, thread == 3 ? 4000 : 100, thread);
    Call("pthread_cond_wait", 4000, 6000, thread);
  }
  EXPECT_THAT(Texts(), IsEmpty());
}

TEST_F(ThreadTest, ThreadsThatDoOtherThings) {
  for (int64_t thread = 1; thread <= 5; ++thread) {
    Call(thread == 3 ? "main" : "log", 0, thread == 3 ? 9000 : 1000, thread);
  }
  EXPECT_THAT(Texts(), IsEmpty());
}

TEST_F(ThreadTest, SomeCallsAreFarSlowerThanTheOthers) {
  for (int64_t i = 0; i < 30; ++i) {
    const int64_t start = 100'000 * i, query = i % 10 == 4 ? 60'000 : 2000;
    Call("request", start, query + 1000);
    Call("query", start + 500, query);
  }
  EXPECT_THAT(Texts(),
              ElementsAre("3 of 30 calls of query, one in 10, take up to "
                          "60.00ms, the others 2.00ms (median): 65.9% of all "
                          "work of the threads (174.00ms of 264.00ms)"));
  EXPECT_EQ(findings_[0].rule, "slow_calls");
}

TEST_F(ThreadTest, SlowWaitsAreNoSlowCalls) {
  for (int64_t i = 0; i < 30; ++i) {
    Call("poll", 100'000 * i, i % 10 == 4 ? 60'000 : 2000);
  }
  EXPECT_THAT(Texts(), IsEmpty());
}

// Work of all sizes has no usual call.
TEST_F(ThreadTest, CallsOfAllLengths) {
  for (int64_t i = 0; i < 30; ++i) {
    Call("job", 100'000 * i, 1000 + 200 * i * i * i / 30);
  }
  EXPECT_THAT(Texts(), IsEmpty());
}

}  // namespace threads_test
}  // namespace
}  // namespace tfprof::advisor
