#include "server/worker.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace tfprof::server {
namespace {

HttpRequest Named(std::string path) {
  HttpRequest request;
  request.path = std::move(path);
  return request;
}

template <typename Condition>
bool Soon(Condition condition) {
  for (int i = 0; i < 2000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(WorkerTest, AnswersInOrder) {
  util::Cancellation cancellation;
  std::atomic<int> done = 0;
  Worker worker(
      [](const HttpRequest& request) {
        HttpReply reply;
        reply.body = request.path;
        return reply;
      },
      cancellation, [&] { ++done; });
  ASSERT_TRUE(worker.Add(5, Named("/a")));
  ASSERT_TRUE(worker.Add(6, Named("/b")));
  ASSERT_TRUE(Soon([&] { return done == 2; }));
  const auto finished = worker.Take();
  ASSERT_EQ(finished.size(), 2u);
  EXPECT_EQ(finished[0].id, 5u);
  EXPECT_EQ(finished[0].reply.body, "/a");
  EXPECT_EQ(finished[1].reply.body, "/b");
  EXPECT_TRUE(worker.Take().empty());
}

// Threads inherit the priority of the thread that starts them; others keep
// theirs.
TEST(WorkerTest, TheLowestPriorityIsOfItsThreadsOnly) {
  const auto nice_here = [] {
    return std::to_string(
        getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid))));
  };
  const std::string before = nice_here();
  util::Cancellation cancellation;
  std::atomic<int> done = 0;
  Worker worker(
      [&](const HttpRequest&) {
        HttpReply reply;
        std::thread([&] { reply.body = nice_here(); }).join();
        return reply;
      },
      cancellation, [&] { ++done; }, Worker::Priority::kLowest);
  ASSERT_TRUE(worker.Add(5, Named("/a")));
  ASSERT_TRUE(Soon([&] { return done == 1; }));
  EXPECT_EQ(worker.Take().at(0).reply.body, "19");
  EXPECT_EQ(nice_here(), before);
}

TEST(WorkerTest, AClientThatHasGoneCancels) {
  util::Cancellation cancellation;
  std::atomic<int> began = 0;
  std::atomic<int> done = 0;
  Worker worker(
      [&](const HttpRequest& request) {
        ++began;
        while (request.path == "/long" && !cancellation.requested()) {
          std::this_thread::yield();
        }
        return HttpReply();
      },
      cancellation, [&] { ++done; });
  ASSERT_TRUE(worker.Add(1, Named("/long")));
  ASSERT_TRUE(Soon([&] { return began == 1; }));
  ASSERT_TRUE(worker.Add(2, Named("/never")));
  ASSERT_TRUE(worker.Add(3, Named("/short")));
  worker.Cancel(2);
  worker.Cancel(1);
  ASSERT_TRUE(Soon([&] { return done == 2; }));
  const auto finished = worker.Take();
  ASSERT_EQ(finished.size(), 1u);
  EXPECT_EQ(finished[0].id, 3u);
  EXPECT_EQ(began, 2);
}

TEST(WorkerTest, AJobThatTakesTooLongIsEnded) {
  util::Cancellation cancellation;
  std::atomic<int> done = 0;
  Worker worker(
      [&](const HttpRequest& request) {
        HttpReply reply;
        reply.body = request.path;
        while (request.path == "/long" && !cancellation.requested()) {
          std::this_thread::yield();
        }
        return reply;
      },
      cancellation, [&] { ++done; }, Worker::Priority::kUsual,
      {.time = std::chrono::milliseconds(50)});
  ASSERT_TRUE(worker.Add(1, Named("/long")));
  ASSERT_TRUE(worker.Add(2, Named("/short")));
  ASSERT_TRUE(Soon([&] { return done == 2; }));
  const auto finished = worker.Take();
  ASSERT_EQ(finished.size(), 2u);
  EXPECT_EQ(finished[0].reply.status, 504);
  EXPECT_NE(finished[0].reply.body.find("0.05 s "), std::string::npos)
      << finished[0].reply.body;
  EXPECT_EQ(finished[1].reply.status, 200);
  EXPECT_EQ(finished[1].reply.body, "/short");
}

TEST(WorkerTest, AJobThatIgnoresItsEndIsTold) {
  util::Cancellation cancellation;
  std::atomic<int> stuck = 0, done = 0;
  Worker worker(
      [&](const HttpRequest&) {
        while (stuck == 0) std::this_thread::yield();
        return HttpReply();
      },
      cancellation, [&] { ++done; }, Worker::Priority::kUsual,
      {.time = std::chrono::milliseconds(20),
       .grace = std::chrono::milliseconds(20),
       .stuck = [&] { ++stuck; }});
  ASSERT_TRUE(worker.Add(1, Named("/")));
  ASSERT_TRUE(Soon([&] { return done == 1; }));
  EXPECT_EQ(stuck, 1);
  EXPECT_EQ(worker.Take().at(0).reply.status, 504);
}

TEST(WorkerTest, RefusesWhatWouldWaitTooLong) {
  util::Cancellation cancellation;
  Worker worker(
      [&](const HttpRequest&) {
        while (!cancellation.requested()) std::this_thread::yield();
        return HttpReply();
      },
      cancellation, [] {});
  size_t taken = 0;
  while (worker.Add(taken, Named("/")) && taken < 1000) ++taken;
  EXPECT_GE(taken, Worker::kMaxWaiting);
  EXPECT_LE(taken, Worker::kMaxWaiting + 1);
}

}  // namespace
}  // namespace tfprof::server
