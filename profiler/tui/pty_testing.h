// A helper for tests with a terminal: runs a function in a child process whose
// standard streams are a pseudo-terminal.

#ifndef TFPROF_PROFILER_TUI_PTY_TESTING_H_
#define TFPROF_PROFILER_TUI_PTY_TESTING_H_

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::tui {

struct PtyResult {
  std::string screen;  // all bytes that the terminal got
  std::string report;  // the text that the child wrote to `report`
};

inline constexpr std::string_view kTestPrompt = "test> ";

// Runs `child` in a terminal of 100 x 30. Each element of `keys` is typed when
// a new prompt is on the screen. `child` writes its results to `report`.
inline PtyResult RunInTerminal(const std::vector<std::string>& keys,
                               const std::function<void(FILE* report)>& child) {
  constexpr int kTimeoutMillis = 60000;
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  winsize size = {};
  size.ws_row = 30;
  size.ws_col = 100;
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, &size);
  EXPECT_GE(pid, 0);
  if (pid == 0) {
    close(ends[0]);
    FILE* report = fdopen(ends[1], "w");
    child(report);
    fclose(report);
    fflush(stdout);
    _exit(0);
  }
  close(ends[1]);
  PtyResult result;
  size_t typed = 0;
  size_t seen = 0;  // of the screen, up to the last prompt
  for (;;) {
    const size_t prompt = result.screen.find(kTestPrompt, seen);
    if (prompt != result.screen.npos && typed < keys.size()) {
      seen = result.screen.size();
      const std::string& text = keys[typed++];
      EXPECT_EQ(write(terminal, text.data(), text.size()),
                static_cast<ssize_t>(text.size()));
    }
    pollfd wait = {.fd = terminal, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, kTimeoutMillis) <= 0) {
      ADD_FAILURE() << "no more output after: " << result.screen;
      kill(pid, SIGKILL);
      break;
    }
    char buffer[4096];
    const ssize_t n = read(terminal, buffer, sizeof(buffer));
    if (n <= 0) break;  // EIO: the child has closed its side
    result.screen.append(buffer, static_cast<size_t>(n));
  }
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof(buffer))) > 0;) {
    result.report.append(buffer, static_cast<size_t>(n));
  }
  close(ends[0]);
  close(terminal);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(typed, keys.size()) << result.screen;
  return result;
}

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_PTY_TESTING_H_
