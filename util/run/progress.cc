#include "util/run/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "fmt/format.h"
#include "util/run/start_thread.h"

namespace tfprof::util {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kQuiet = std::chrono::milliseconds(500);
constexpr auto kRedraw = std::chrono::milliseconds(100);

bool CanRedraw() {
  const char* term = getenv("TERM");
  return isatty(STDERR_FILENO) && term != nullptr && *term != '\0' &&
         std::string_view(term) != "dumb";
}

size_t Width() {
  struct winsize size = {};
  ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
  return size.ws_col > 0 ? size.ws_col : 80;
}

// Returns "412.0 MB". Thousands of bytes are KB, as in all sizes, and those of
// rows k.
std::string Amount(double n, std::string_view of) {
  const std::string_view units[] = {"", of == "B" ? "K" : "k", "M", "G"};
  size_t unit = 0;
  for (; n >= 1000 && unit + 1 < std::size(units); ++unit) n /= 1000;
  return fmt::format("{:.{}f} {}{}", n, unit == 0 ? 0 : 1, units[unit], of);
}

}  // namespace

std::string ProgressLine(std::string_view what, int64_t done, int64_t total,
                         double seconds, std::string_view unit, size_t width) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const std::string speed = fmt::format("{}/s", Amount(rate, unit));
  std::string line;
  if (total <= 0 && done <= 0) {
    line = fmt::format("{}  {:.0f} s", what, seconds);
  } else if (total <= 0) {
    line = fmt::format("{}  {}  {}", what,
                       Amount(static_cast<double>(done), unit), speed);
  } else {
    const double share = std::clamp(
        static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
    constexpr size_t kBar = 20;
    const auto full = static_cast<size_t>(share * kBar);
    line = fmt::format("{}  [{:<{}}] {:>3.0f}%  {}", what,
                       std::string(full, '#'), kBar, 100 * share, speed);
    if (rate > 0 && done < total) {
      line += fmt::format("  {:.0f} s left",
                          static_cast<double>(total - done) / rate);
    }
  }
  // Leave the last column free: some terminals start a new line after it.
  line.resize(std::min(line.size(), width > 0 ? width - 1 : 0));
  return line;
}

ProgressBar::ProgressBar(std::string_view what, const Progress& progress,
                         std::string_view unit)
    : what_(what), unit_(unit), progress_(progress) {
  if (!CanRedraw()) return;
  // Without a thread the work continues without a bar.
  thread_ = StartThread([this] { Run(); });
}

ProgressBar::~ProgressBar() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    finished_ = true;
  }
  woken_.notify_one();
  thread_.join();
}

void ProgressBar::Run() {
  const auto begin = Clock::now();
  bool drawn = false;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!woken_.wait_for(lock, drawn ? kRedraw : kQuiet,
                          [this] { return finished_; })) {
    drawn = true;
    const std::chrono::duration<double> time = Clock::now() - begin;
    const std::string line =
        "\r\x1b[K" + ProgressLine(what_, progress_.done, progress_.total,
                                  time.count(), unit_, Width());
    fwrite(line.data(), 1, line.size(), stderr);
    fflush(stderr);
  }
  if (!drawn) return;
  fputs("\r\x1b[K", stderr);
  fflush(stderr);
}

}  // namespace tfprof::util
