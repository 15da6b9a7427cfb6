#include "util/threads.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tfprof {
namespace {

int CoresAllowed() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

int& Threads() {
  static int threads = CoresAllowed();
  return threads;
}

}  // namespace

int NumThreads() { return Threads(); }

void SetNumThreads(int threads) { Threads() = std::max(1, threads); }

void ParallelFor(size_t n, const std::function<void(size_t)>& work) {
  const size_t threads = std::min(n, static_cast<size_t>(NumThreads()));
  if (threads <= 1) {
    for (size_t i = 0; i < n; ++i) work(i);
    return;
  }
  std::atomic<size_t> next = 0;
  const auto run = [&] {
    for (size_t i; (i = next.fetch_add(1)) < n;) work(i);
  };
  std::vector<std::jthread> helpers;
  for (size_t t = 1; t < threads; ++t) helpers.emplace_back(run);
  run();
}

}  // namespace tfprof
