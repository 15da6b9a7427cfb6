#include "util/run/progress.h"

#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(ProgressTest, Line) {
  EXPECT_EQ(ProgressLine("loading", 250'000'000, 1'000'000'000, 0.5, "B", 80),
            "loading  [#####               ]  25%  500.0 MB/s  2 s left");
  EXPECT_EQ(ProgressLine("writing", 1500, 0, 1, " rows", 80),
            "writing  1.5 k rows  1.5 k rows/s");
  EXPECT_EQ(ProgressLine("writing", 0, 0, 3.2, "B", 80), "writing  3 s");
  EXPECT_EQ(ProgressLine("loading", 5, 4, 1, "B", 20), "loading  [#########");
  EXPECT_EQ(ProgressLine("loading", 0, 4, 0, "B", 0), "");
}

TEST(ProgressTest, NoLineIsWiderThanTheWindow) {
  for (size_t width = 0; width < 90; ++width) {
    for (const int64_t done : {int64_t{0}, int64_t{7}, int64_t{1} << 40}) {
      for (const int64_t total : {int64_t{0}, int64_t{9}, int64_t{1} << 41}) {
        const std::string line =
            ProgressLine("loading", done, total, 2.5, "B", width);
        EXPECT_TRUE(line.size() < width || line.empty()) << line;
      }
    }
  }
}

TEST(ProgressTest, MoreThanTheTotalShowsAsTheTotal) {
  EXPECT_NE(ProgressLine("loading", 90, 30, 1, "B", 80).find("100%"),
            std::string::npos);
}

// In a test, stderr is not a terminal: the bar draws nothing and waits for
// nothing.
TEST(ProgressTest, BarEndsAtOnce) {
  Progress progress;
  progress.total = 10;
  for (int i = 0; i < 10; ++i) {
    const ProgressBar bar("loading", progress, "B");
    ++progress.done;
  }
  EXPECT_EQ(progress.done, 10);
}

TEST(ProgressTest, AmountsHaveUnits) {
  const auto line = [](int64_t done) {
    return ProgressLine("writing", done, 0, 0, "B", 80);
  };
  EXPECT_EQ(line(999), "writing  999 B  0 B/s");
  EXPECT_EQ(line(1000), "writing  1.0 KB  0 B/s");
  EXPECT_EQ(line(1'500'000), "writing  1.5 MB  0 B/s");
  EXPECT_EQ(line(2'000'000'000), "writing  2.0 GB  0 B/s");
  EXPECT_EQ(line(5'000'000'000'000), "writing  5000.0 GB  0 B/s");
}

TEST(ProgressTest, TheRemainingTimeIsShownWhileThereIsSome) {
  EXPECT_NE(ProgressLine("x", 1, 2, 1, "B", 80).find("1 s left"),
            std::string::npos);
  EXPECT_EQ(ProgressLine("x", 2, 2, 1, "B", 80).find("left"),
            std::string::npos);
  EXPECT_EQ(ProgressLine("x", 0, 2, 1, "B", 80).find("left"),
            std::string::npos);
}

// Connects stderr of this process to a pseudo-terminal.
class TerminalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TERM", "xterm", 1);
    struct winsize size = {};
    size.ws_col = 60;
    int slave = -1;
    ASSERT_EQ(openpty(&master_, &slave, nullptr, nullptr, &size), 0);
    stderr_ = dup(STDERR_FILENO);
    ASSERT_EQ(dup2(slave, STDERR_FILENO), STDERR_FILENO);
    close(slave);
  }
  void TearDown() override {
    if (stderr_ >= 0) dup2(stderr_, STDERR_FILENO);
    close(stderr_);
    close(master_);
  }
  // Returns the text that appears on the terminal, up to `end`.
  std::string ReadUntil(std::string_view end) {
    std::string text;
    while (text.find(end) == text.npos) {
      pollfd wait = {.fd = master_, .events = POLLIN, .revents = 0};
      char bytes[256];
      if (poll(&wait, 1, /*timeout=*/30000) != 1) break;
      const ssize_t size = read(master_, bytes, sizeof(bytes));
      if (size <= 0) break;
      text.append(bytes, static_cast<size_t>(size));
    }
    return text;
  }

  int master_ = -1, stderr_ = -1;
};

TEST_F(TerminalTest, TheBarIsDrawnAndErased) {
  Progress progress;
  progress.total = 10;
  progress.done = 5;
  {
    const ProgressBar bar("loading", progress, "B");
    const std::string drawn = ReadUntil("50%");
    EXPECT_NE(drawn.find("\r\x1b[Kloading  [##########          ]  50%"),
              std::string::npos)
        << drawn;
  }
  fputs("end", stderr);
  const std::string rest = ReadUntil("end");
  EXPECT_TRUE(rest.ends_with("\r\x1b[Kend")) << rest;
}

TEST_F(TerminalTest, ADumbTerminalShowsNoBar) {
  setenv("TERM", "dumb", 1);
  const Progress progress;
  {
    const ProgressBar bar("loading", progress, "B");
    // A terminal that can redraw would show the bar within this time.
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
  }
  fputs("end", stderr);
  EXPECT_EQ(ReadUntil("end"), "end");
}

}  // namespace
}  // namespace tfprof::util
