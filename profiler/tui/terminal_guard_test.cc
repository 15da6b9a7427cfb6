#include "profiler/tui/terminal_guard.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "profiler/tui/pty_testing.h"

namespace tfprof::tui {
namespace {

bool Echoes() {
  termios modes = {};
  tcgetattr(STDIN_FILENO, &modes);
  return (modes.c_lflag & ECHO) != 0;
}

void SetEcho(bool on) {
  termios modes = {};
  tcgetattr(STDIN_FILENO, &modes);
  modes.c_lflag = on ? modes.c_lflag | ECHO : modes.c_lflag & ~tcflag_t{ECHO};
  tcsetattr(STDIN_FILENO, TCSANOW, &modes);
}

// Runs a screen without echo in a process of its own in the terminal. Returns
// how it ended and what it left: "signal 15, echo".
PtyResult Ended(const std::function<void(TerminalGuard&)>& screen) {
  return RunInTerminal({}, [&](FILE* report) {
    const pid_t child = fork();
    if (child == 0) {
      util::Cancellation cancellation;
      TerminalGuard guard(cancellation);
      SetEcho(false);
      guard.Started("<leave>", "<enter>");
      screen(guard);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    fputs(fmt::format(
              "{} {}, {}", WIFSIGNALED(status) ? "signal" : "exit",
              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
              Echoes() ? "echo" : "no echo")
              .c_str(),
          report);
  });
}

TEST(TerminalGuardTest, ASignalThatEndsTheProgramLeavesTheScreenFirst) {
  for (const int signal :
       {SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGFPE}) {
    const PtyResult result = Ended([&](TerminalGuard&) { raise(signal); });
    EXPECT_EQ(result.report, fmt::format("signal {}, echo", signal));
    EXPECT_EQ(result.screen, "<leave>");
  }
}

TEST(TerminalGuardTest, BeforeItsStartThereIsNothingToLeave) {
  const PtyResult result = RunInTerminal({}, [](FILE* report) {
    const pid_t child = fork();
    if (child == 0) {
      util::Cancellation cancellation;
      const TerminalGuard guard(cancellation);
      raise(SIGTERM);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    fprintf(report, "%d", WIFSIGNALED(status) ? WTERMSIG(status) : -1);
  });
  EXPECT_EQ(result.report, fmt::format("{}", SIGTERM));
  EXPECT_EQ(result.screen, "");
}

TEST(TerminalGuardTest, AContinuedProgramEntersAgain) {
  const PtyResult result = Ended([](TerminalGuard& guard) {
    raise(SIGCONT);
    _exit(guard.TakeContinued() && !guard.TakeContinued() ? 7 : 1);
  });
  EXPECT_EQ(result.report, "exit 7, no echo");
  EXPECT_EQ(result.screen, "<enter>");
}

TEST(TerminalGuardTest, MemoryThatIsUsedUpLeavesTheScreen) {
  const PtyResult result = Ended([](TerminalGuard&) {
    const std::new_handler handler = std::get_new_handler();
    handler();
    _exit(std::get_new_handler() != handler ? 7 : 1);
  });
  EXPECT_EQ(result.report, "exit 7, echo");
  EXPECT_EQ(result.screen, "<leave>") << "and not again at the end";
}

// In this process: nothing of it is a terminal, and none is needed.
class TerminalGuardSignalTest : public testing::Test {
 protected:
  bool Woken() {
    pollfd fd = {.fd = guard_->wake_fd(), .events = POLLIN, .revents = 0};
    return poll(&fd, 1, 0) == 1;
  }

  util::Cancellation cancellation_;
  std::unique_ptr<TerminalGuard> guard_ =
      std::make_unique<TerminalGuard>(cancellation_);
};

TEST_F(TerminalGuardSignalTest, AnInterruptIsAKeyOrCancelsWork) {
  EXPECT_FALSE(guard_->TakeInterrupt());
  raise(SIGINT);
  EXPECT_TRUE(Woken());
  guard_->Drain();
  EXPECT_FALSE(Woken());
  EXPECT_TRUE(guard_->TakeInterrupt());
  EXPECT_FALSE(guard_->TakeInterrupt()) << "it is taken once";
  EXPECT_FALSE(cancellation_.requested());
  guard_->BeginWork();
  raise(SIGINT);
  EXPECT_TRUE(cancellation_.requested());
  EXPECT_FALSE(guard_->TakeInterrupt());
  cancellation_.Reset();
  guard_->EndWork();
  raise(SIGINT);
  EXPECT_FALSE(cancellation_.requested());
}

TEST_F(TerminalGuardSignalTest, AnotherSizeIsSaidOnce) {
  raise(SIGWINCH);
  raise(SIGWINCH);
  EXPECT_TRUE(Woken());
  EXPECT_TRUE(guard_->TakeResize());
  EXPECT_FALSE(guard_->TakeResize());
}

TEST_F(TerminalGuardSignalTest, MoreSignalsThanItsPipeHoldsDoNotWait) {
  for (int i = 0; i < 100'000; ++i) raise(SIGWINCH);
  EXPECT_TRUE(Woken());
  guard_->Drain();
  EXPECT_FALSE(Woken());
}

TEST_F(TerminalGuardSignalTest, HandlersAreAsBeforeAtTheEnd) {
  guard_.reset();
  for (const bool ignored : {false, true}) {
    struct sigaction before = {}, during = {}, after = {};
    before.sa_handler = ignored ? SIG_IGN : SIG_DFL;
    sigaction(SIGHUP, &before, nullptr);
    {
      const TerminalGuard guard(cancellation_);
      sigaction(SIGHUP, nullptr, &during);
    }
    sigaction(SIGHUP, nullptr, &after);
    EXPECT_EQ(after.sa_handler, before.sa_handler);
    EXPECT_EQ(during.sa_handler == SIG_IGN, ignored)
        << "what the caller ignores stays ignored";
    signal(SIGHUP, SIG_DFL);
  }
}

}  // namespace
}  // namespace tfprof::tui
