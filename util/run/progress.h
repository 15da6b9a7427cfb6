// Shows a person the progress of long work.
//
//   Progress progress;                 // the worker adds to progress.done
//   const ProgressBar bar("loading", progress, "B");
//
// If stderr is a terminal that can redraw a line, the bar appears there after
// half a second and is erased when the object is destroyed. Otherwise nothing
// is written, so a script never sees the bar.

#ifndef TFPROF_UTIL_RUN_PROGRESS_H_
#define TFPROF_UTIL_RUN_PROGRESS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace tfprof::util {

// Counts bytes or rows. Any thread may change the counts at any time. `total`
// is 0 while it is unknown.
struct Progress {
  std::atomic<int64_t> done = 0;
  std::atomic<int64_t> total = 0;
};

// Returns "loading  [####      ] 41%  412.0 MB/s  2 s left", shorter than
// `width` columns. Without a total it returns "loading  1.2 MB  5.1 MB/s", and
// before any progress "loading  3 s". `seconds` is the time since the start.
std::string ProgressLine(std::string_view what, int64_t done, int64_t total,
                         double seconds, std::string_view unit, size_t width);

class ProgressBar {
 public:
  // `unit` is "B" or "rows". `progress` must outlive the bar.
  ProgressBar(std::string_view what, const Progress& progress,
              std::string_view unit);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

 private:
  void Run();

  const std::string what_, unit_;
  const Progress& progress_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool finished_ = false;
  std::jthread thread_;
};

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_RUN_PROGRESS_H_
