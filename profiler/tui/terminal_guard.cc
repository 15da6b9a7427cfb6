#include "profiler/tui/terminal_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <new>

namespace tfprof::tui {
namespace {

// Signals that end the program: the terminal is restored first. SIGBUS is not
// here: files that are mapped have a handler for it (util/files/mapped_file.h).
constexpr int kEnding[] = {SIGTERM, SIGHUP, SIGQUIT, SIGABRT,
                           SIGSEGV, SIGILL, SIGFPE};
constexpr int kHandled[] = {SIGTERM, SIGHUP,  SIGQUIT, SIGABRT, SIGSEGV, SIGILL,
                            SIGFPE,  SIGTSTP, SIGCONT, SIGINT,  SIGWINCH};

// A signal handler has no arguments of its own. The texts are written before
// `started` is set, and do not change while it is.
struct {
  std::atomic<bool> started = false;
  std::atomic<bool> working = false;
  std::atomic<bool> interrupted = false;
  std::atomic<bool> resized = false;
  std::atomic<bool> continued = false;
  std::atomic<util::Cancellation*> cancellation = nullptr;
  std::atomic<int> wake = -1;
  std::array<char, 512> leave = {}, enter = {};
  size_t leave_size = 0, enter_size = 0;
  struct termios before = {}, inside = {};
  std::array<struct sigaction, std::size(kHandled)> actions = {};
  std::new_handler no_memory = nullptr;
} guard;

void WriteAll(const char* text, size_t size) {
  while (size > 0) {
    const ssize_t written = write(STDOUT_FILENO, text, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text += written;
    size -= static_cast<size_t>(written);
  }
}

void Leave() {
  if (!guard.started.load()) return;
  WriteAll(guard.leave.data(), guard.leave_size);
  tcsetattr(STDIN_FILENO, TCSANOW, &guard.before);
}

void Enter() {
  if (!guard.started.load()) return;
  tcsetattr(STDIN_FILENO, TCSANOW, &guard.inside);
  WriteAll(guard.enter.data(), guard.enter_size);
}

void Wake() {
  const int fd = guard.wake.load();
  const char byte = 0;
  // A full pipe wakes as well.
  if (fd >= 0 && write(fd, &byte, 1) < 0) return;
}

// Lets the signal do what it does by default, from within its handler.
void RaiseDefault(int signal) {
  struct sigaction usual = {}, ours = {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, &ours);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  kill(getpid(), signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  // Only signals that stop the program come here.
  sigaction(signal, &ours, nullptr);
}

void OnSignal(int signal) {
  const int error = errno;
  switch (signal) {
    case SIGINT:
      if (guard.working.load()) {
        if (util::Cancellation* c = guard.cancellation.load()) c->Request();
      } else {
        guard.interrupted = true;
      }
      break;
    case SIGWINCH:
      guard.resized = true;
      break;
    case SIGTSTP:
      Leave();
      RaiseDefault(signal);
      // Without a shell that could continue it, the program was not stopped.
      Enter();
      guard.continued = true;
      break;
    case SIGCONT:
      Enter();
      guard.continued = true;
      break;
    default:
      Leave();
      RaiseDefault(signal);
  }
  Wake();
  errno = error;
}

void OnNoMemory() {
  Leave();
  guard.started = false;
  std::set_new_handler(guard.no_memory);
  if (guard.no_memory != nullptr) guard.no_memory();
}

}  // namespace

TerminalGuard::TerminalGuard(util::Cancellation& cancellation) {
  if (pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) wake_[0] = wake_[1] = -1;
  guard.wake = wake_[1];
  guard.cancellation = &cancellation;
  guard.started = guard.working = false;
  guard.interrupted = guard.resized = guard.continued = false;
  tcgetattr(STDIN_FILENO, &guard.before);
  for (size_t i = 0; i < std::size(kHandled); ++i) {
    struct sigaction action = {};
    action.sa_handler = OnSignal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(kHandled[i], &action, &guard.actions[i]);
    const bool ends = std::find(std::begin(kEnding), std::end(kEnding),
                                kHandled[i]) != std::end(kEnding);
    // A signal that the caller ignores, such as SIGHUP below nohup, stays
    // ignored.
    if ((ends || kHandled[i] == SIGTSTP) &&
        guard.actions[i].sa_handler == SIG_IGN) {
      sigaction(kHandled[i], &guard.actions[i], nullptr);
    }
  }
  guard.no_memory = std::set_new_handler(OnNoMemory);
}

TerminalGuard::~TerminalGuard() {
  if (guard.started) tcsetattr(STDIN_FILENO, TCSADRAIN, &guard.before);
  guard.started = false;
  for (size_t i = 0; i < std::size(kHandled); ++i) {
    sigaction(kHandled[i], &guard.actions[i], nullptr);
  }
  std::set_new_handler(guard.no_memory);
  guard.wake = -1;
  guard.cancellation = nullptr;
  for (const int fd : wake_) {
    if (fd >= 0) close(fd);
  }
}

void TerminalGuard::Started(const std::string& leave,
                            const std::string& enter) {
  guard.leave_size = std::min(leave.size(), guard.leave.size());
  std::copy_n(leave.data(), guard.leave_size, guard.leave.data());
  guard.enter_size = std::min(enter.size(), guard.enter.size());
  std::copy_n(enter.data(), guard.enter_size, guard.enter.data());
  tcgetattr(STDIN_FILENO, &guard.inside);
  guard.started = true;
}

void TerminalGuard::BeginWork() { guard.working = true; }
void TerminalGuard::EndWork() { guard.working = false; }

void TerminalGuard::Drain() {
  char bytes[64];
  while (read(wake_[0], bytes, sizeof bytes) > 0) {
  }
}

bool TerminalGuard::TakeInterrupt() {
  return guard.interrupted.exchange(false);
}
bool TerminalGuard::TakeResize() { return guard.resized.exchange(false); }
bool TerminalGuard::TakeContinued() { return guard.continued.exchange(false); }

}  // namespace tfprof::tui
