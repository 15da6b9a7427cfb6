#include "profiler/shell/redirect.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "fmt/format.h"
#include "util/files/errno_status.h"

extern char** environ;

namespace tfprof::shell {
namespace {

using Kind = commands::Redirection::Kind;

constexpr char kShell[] = "/bin/sh";

class FileTarget : public RedirectionTarget {
 public:
  explicit FileTarget(std::unique_ptr<util::FileSink> file)
      : file_(std::move(file)) {}
  util::Sink& sink() override { return *file_; }
  absl::Status Close(bool good) override {
    return good ? file_->Commit() : absl::OkStatus();
  }

 private:
  std::unique_ptr<util::FileSink> file_;
};

// A sink that writes to a file descriptor, which it owns.
class DescriptorSink : public util::Sink {
 public:
  DescriptorSink(int fd, const util::Cancellation* cancellation)
      : fd_(fd), cancellation_(cancellation) {}
  ~DescriptorSink() override { Close(); }

  void Write(std::string_view bytes) override {
    while (!bytes.empty() && error_ == 0) {
      const ssize_t written = write(fd_, bytes.data(), bytes.size());
      if (written >= 0) {
        bytes.remove_prefix(static_cast<size_t>(written));
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
  }
  bool wanted() const override {
    return error_ == 0 && !util::IsCancelled(cancellation_);
  }
  void Close() {
    if (fd_ >= 0 && close(fd_) != 0 && error_ == 0) error_ = errno;
    fd_ = -1;
  }
  int error() const { return error_; }  // the first

 private:
  int fd_;
  const util::Cancellation* const cancellation_;
  int error_ = 0;
};

class AppendTarget : public RedirectionTarget {
 public:
  AppendTarget(std::string path, int fd, const util::Cancellation* cancellation)
      : path_(std::move(path)), sink_(fd, cancellation) {}
  util::Sink& sink() override { return sink_; }
  absl::Status Close(bool) override {
    sink_.Close();
    return sink_.error() == 0 ? absl::OkStatus()
                              : util::ErrnoStatus(sink_.error(), path_);
  }

 private:
  const std::string path_;
  DescriptorSink sink_;
};

class PipeTarget : public RedirectionTarget {
 public:
  PipeTarget(std::string command, pid_t child, int fd,
             const util::Cancellation* cancellation)
      : command_(std::move(command)), child_(child), sink_(fd, cancellation) {
    // Ctrl-C is for the command, as in a shell.
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &old_interrupt_);
  }
  ~PipeTarget() override {
    if (child_ > 0) Wait();
  }
  util::Sink& sink() override { return sink_; }

  absl::Status Close(bool) override {
    const int status = Wait();
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) {
      return absl::AbortedError(
          fmt::format("{}: exit status {}", command_, WEXITSTATUS(status)));
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGPIPE) {
      return absl::AbortedError(
          fmt::format("{}: ended by signal {}", command_, WTERMSIG(status)));
    }
    // EPIPE is no error: the command did not need to read more.
    return absl::OkStatus();
  }

 private:
  int Wait() {
    sink_.Close();
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
    sigaction(SIGINT, &old_interrupt_, nullptr);
    return status;
  }

  const std::string command_;
  pid_t child_;
  DescriptorSink sink_;
  struct sigaction old_interrupt_ = {};
};

absl::StatusOr<std::unique_ptr<RedirectionTarget>> StartCommand(
    const std::string& command, const util::Cancellation* cancellation) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return util::ErrnoStatus(errno, command);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  // We ignore SIGPIPE; the command must not, for pipes of its own.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::string shell = kShell, flag = "-c", line = command;
  char* const arguments[] = {shell.data(), flag.data(), line.data(), nullptr};
  pid_t child = -1;
  const int error =
      posix_spawn(&child, kShell, &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  if (error != 0) {
    close(ends[1]);
    return util::ErrnoStatus(error, kShell);
  }
  return std::make_unique<PipeTarget>(command, child, ends[1], cancellation);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RedirectionTarget>> OpenRedirection(
    const commands::Redirection& redirection,
    const util::Cancellation* cancellation) {
  const std::string& target = redirection.target;
  if (redirection.kind == Kind::kPipe) {
    return StartCommand(target, cancellation);
  }
  if (redirection.kind == Kind::kAppend) {
    const int fd =
        open(target.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) return util::ErrnoStatus(errno, target);
    return std::make_unique<AppendTarget>(target, fd, cancellation);
  }
  absl::StatusOr<std::unique_ptr<util::FileSink>> file =
      util::FileSink::Create(target, {.cancellation = cancellation});
  if (!file.ok()) return file.status();
  return std::make_unique<FileTarget>(*std::move(file));
}

}  // namespace tfprof::shell
