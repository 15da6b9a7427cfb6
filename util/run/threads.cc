#include "util/run/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "util/run/start_thread.h"

namespace tfprof::util {
namespace {

int CoresAllowed() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

// Starts up to `count` threads that run `call`: as many as the system allows,
// possibly none (`ulimit -u`, a container). The remaining threads, at least the
// caller, then do all the work.
std::vector<std::jthread> StartHelpers(size_t count,
                                       const std::function<void()>& call) {
  std::vector<std::jthread> helpers;
  while (helpers.size() < count) {
    std::jthread helper = StartThread(call);
    if (!helper.joinable()) break;
    helpers.push_back(std::move(helper));
  }
  return helpers;
}

}  // namespace

int NumThreads(const TaskOptions& work) {
  // The allowed cores do not change while the program runs.
  static const int cores = CoresAllowed();
  return work.threads > 0 ? work.threads : cores;
}

void ParallelFor(const TaskOptions& work, size_t n,
                 const std::function<void(size_t)>& call) {
  const size_t threads = std::min(n, static_cast<size_t>(NumThreads(work)));
  if (threads <= 1) {
    for (size_t i = 0; i < n; ++i) call(i);
    return;
  }
  std::atomic<size_t> next = 0;
  const auto run = [&] {
    for (size_t i; (i = next.fetch_add(1)) < n;) call(i);
  };
  const std::vector<std::jthread> helpers = StartHelpers(threads - 1, run);
  run();
}

size_t NumRanges(const TaskOptions& work, size_t n) {
  constexpr size_t kMinRange = 1 << 14;
  return std::clamp<size_t>(n / kMinRange, 1,
                            static_cast<size_t>(NumThreads(work)));
}

void ParallelRanges(const TaskOptions& work, size_t n,
                    const std::function<void(size_t, size_t)>& call) {
  const size_t parts = NumRanges(work, n);
  ParallelFor(work, parts,
              [&](size_t i) { call(n * i / parts, n * (i + 1) / parts); });
}

namespace {

class Pipeline {
 public:
  Pipeline(size_t n, size_t threads, const std::function<void(size_t)>& call)
      : n_(n), ahead_(4 * threads), call_(call), done_(n, false) {}

  void Help() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (next_ < n_) {
      if (!WorkOnNext(lock)) changed_.wait(lock);
    }
  }

  // Waits for call(i), and runs other calls meanwhile.
  void Await(size_t i) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!done_[i]) {
      if (!WorkOnNext(lock)) changed_.wait(lock);
    }
  }

  void Merged() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++merged_;
    changed_.notify_all();
  }

 private:
  // Returns false if no call may start now.
  bool WorkOnNext(std::unique_lock<std::mutex>& lock) {
    if (next_ >= n_ || next_ >= merged_ + ahead_) return false;
    const size_t i = next_++;
    lock.unlock();
    call_(i);
    lock.lock();
    done_[i] = true;
    changed_.notify_all();
    return true;
  }

  const size_t n_;
  const size_t ahead_;
  const std::function<void(size_t)>& call_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t next_ = 0;    // the next call to start
  size_t merged_ = 0;  // merged calls
  std::vector<bool> done_;
};

}  // namespace

void ParallelPipeline(const TaskOptions& work, size_t n,
                      const std::function<void(size_t)>& call,
                      const std::function<void(size_t)>& merge) {
  const size_t threads = std::min(n, static_cast<size_t>(NumThreads(work)));
  if (threads <= 1) {
    for (size_t i = 0; i < n; ++i) {
      call(i);
      merge(i);
    }
    return;
  }
  Pipeline pipeline(n, threads, call);
  const std::vector<std::jthread> helpers =
      StartHelpers(threads - 1, [&] { pipeline.Help(); });
  for (size_t i = 0; i < n; ++i) {
    pipeline.Await(i);
    merge(i);
    pipeline.Merged();
  }
}

}  // namespace tfprof::util
