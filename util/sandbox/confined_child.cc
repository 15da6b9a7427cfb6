#include "util/sandbox/confined_child.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <optional>
#include <utility>

#include "util/files/errno_status.h"
#include "util/files/new_file.h"
#include "util/run/cancellation.h"
#include "util/sandbox/file_gate.h"

namespace tfprof::util {
namespace {

// The first message of the child says how it is confined: one of these and a
// sentence. It is as trusted as this process, for it has read nothing yet.
constexpr char kConfined = 'C';
constexpr char kFree = 'F';
constexpr size_t kMaxSentence = 4096;

// Handlers of signals take no argument of ours, so these are global.
std::atomic<pid_t> running_child = 0;
Cancellation* out_of_time = nullptr;
std::atomic<bool> stop_passed = false;

void OnAlarm(int) {
  const int error = errno;
  kill(running_child.load(), SIGKILL);
  out_of_time->Request();
  errno = error;
}

void PassStop(int) {
  const int error = errno;
  kill(running_child.load(), SIGTERM);
  stop_passed = true;
  errno = error;
}

// Handles a signal in its scope, if it is wanted.
class Handled {
 public:
  Handled(bool wanted, int signal, void (*handler)(int))
      : wanted_(wanted), signal_(signal) {
    if (!wanted_) return;
    struct sigaction action = {};
    action.sa_handler = handler;
    sigaction(signal_, &action, &before_);
  }
  ~Handled() {
    if (wanted_) sigaction(signal_, &before_, nullptr);
  }
  Handled(const Handled&) = delete;
  Handled& operator=(const Handled&) = delete;

 private:
  const bool wanted_;
  const int signal_;
  struct sigaction before_ = {};
};

// Holds SIGINT and SIGTERM back in its scope.
class StopsHeldBack {
 public:
  StopsHeldBack() {
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &stops, &before_);
  }
  ~StopsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  StopsHeldBack(const StopsHeldBack&) = delete;
  StopsHeldBack& operator=(const StopsHeldBack&) = delete;

 private:
  sigset_t before_;
};

// Makes files itself, as far as they are allowed, but has temporary ones made
// by the other process.
class OwnFiles : public FileMaker {
 public:
  explicit OwnFiles(FileGate& gate) : gate_(gate) {}
  absl::StatusOr<std::unique_ptr<NewFile>> Make(
      const std::string& path, const Cancellation* cancellation) override {
    return SystemFiles().Make(path, cancellation);
  }
  int MakeTemporary() override { return gate_.MakeTemporary(); }

 private:
  FileGate& gate_;
};

// "": the other process has ended.
std::string Receive(int socket) {
  std::string text(kMaxSentence, '\0');
  ssize_t size = -1;
  do {
    size = read(socket, text.data(), text.size());
  } while (size < 0 && errno == EINTR);
  text.resize(static_cast<size_t>(size > 0 ? size : 0));
  return text;
}

[[noreturn]] void RunChild(const ConfinedChild& child, pid_t parent, int socket,
                           const std::function<int()>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have ended before.
  if (getppid() != parent) _exit(1);
  if (child.before) child.before();
  std::vector<int> kept = child.descriptors;
  kept.push_back(socket);
  CloseOtherDescriptors(std::move(kept));
  const absl::StatusOr<Confined> confined = ConfineProcess(child.confinement);
  const std::string sentence =
      confined.ok() ? kConfined + confined->missing
                    : kFree + std::string(confined.status().message());
  const ssize_t sent = write(socket, sentence.data(), sentence.size());
  if (sent < 0 || !confined.ok()) _exit(1);
  FileGate gate(socket);
  OwnFiles own(gate);
  const bool makes = child.confinement.calls.change_files;
  UseFileMaker(makes ? static_cast<FileMaker&>(own) : gate);
  const int status = work();
  fflush(nullptr);
  _exit(status);
}

}  // namespace

absl::StatusOr<ChildEnd> RunConfined(const ConfinedChild& child,
                                     const std::function<int()>& work) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return ErrnoStatus(errno, "a confined process");
  }
  // Else both would write what is in the buffers.
  fflush(nullptr);
  Cancellation late;
  out_of_time = &late;
  const pid_t parent = getpid();
  // A signal must not end this process before it can pass it on.
  std::optional<StopsHeldBack> held(std::in_place);
  const pid_t pid = fork();
  if (pid == 0) {
    held.reset();
    RunChild(child, parent, ends[1], work);
  }
  close(ends[1]);
  if (pid < 0) {
    const int error = errno;
    close(ends[0]);
    return ErrnoStatus(error, "a confined process");
  }
  running_child = pid;
  stop_passed = false;
  const Handled interrupt(child.passes_stop_signals, SIGINT, PassStop);
  const Handled terminate(child.passes_stop_signals, SIGTERM, PassStop);
  held.reset();
  // Without a limit the alarm of this process stays as it is.
  const bool timed = child.seconds > 0;
  const Handled late_handled(timed, SIGALRM, OnAlarm);
  if (timed) alarm(child.seconds);
  std::string sentence = Receive(ends[0]);
  const bool confined = sentence.starts_with(kConfined);
  if (!sentence.empty()) sentence.erase(0, 1);
  if (confined && !sentence.empty()) child.say(sentence);
  if (confined) ServeFiles(ends[0], child.may_make, late);
  close(ends[0]);
  // The alarm is off before the child's number may belong to another process.
  siginfo_t ended = {};
  while (waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR) {
  }
  if (timed) alarm(0);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!confined) return absl::FailedPreconditionError(sentence);
  ChildEnd end = {.out_of_time = late.requested(), .stopped = stop_passed};
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
  return end;
}

}  // namespace tfprof::util
