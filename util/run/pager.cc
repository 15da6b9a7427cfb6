#include "util/run/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

extern char** environ;

namespace tfprof::util {
namespace {

bool InPath(const std::string& program) {
  const char* path = getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const size_t end = std::min(folders.find(':'), folders.size());
    const std::string file =
        std::string(folders.substr(0, end)) + "/" + program;
    if (access(file.c_str(), X_OK) == 0) return true;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return false;
}

// This process ignores Ctrl-C and Ctrl-\ during the object's lifetime.
class IgnoredKeys {
 public:
  IgnoredKeys() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGQUIT, &ignore, &quit_);
  }
  ~IgnoredKeys() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
  }
  IgnoredKeys(const IgnoredKeys&) = delete;
  IgnoredKeys& operator=(const IgnoredKeys&) = delete;

 private:
  struct sigaction interrupt_ = {}, quit_ = {};
};

// Starts `command` with `input` as its stdin. Returns -1 if that fails.
pid_t Start(const std::string& command, int input) {
  std::string less = "LESS=FRX";
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    environment.push_back(*entry);
  }
  if (getenv("LESS") == nullptr) environment.push_back(less.data());
  environment.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int number : {SIGPIPE, SIGINT, SIGQUIT}) {
    sigaddset(&defaults, number);
  }
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::string shell = "sh", option = "-c", line = command;
  char* const arguments[] = {shell.data(), option.data(), line.data(), nullptr};
  pid_t pid = -1;
  const int error = posix_spawn(&pid, "/bin/sh", &actions, &attributes,
                                arguments, environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? pid : -1;
}

}  // namespace

std::string PagerCommand() {
  const char* term = getenv("TERM");
  if (term == nullptr || *term == '\0' || std::string_view(term) == "dumb") {
    return "";
  }
  const char* pager = getenv("PAGER");
  if (pager != nullptr) {
    return std::string_view(pager) == "cat" ? "" : pager;
  }
  return InPath("less") ? "less" : "";
}

std::string WithHeader(const std::string& command, size_t lines) {
  const std::string program = command.substr(0, command.find(' '));
  const bool is_less =
      program == "less" || std::string_view(program).ends_with("/less");
  // Leave a path with shell characters unchanged.
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+";
  if (lines == 0 || !is_less ||
      program.find_first_not_of(kPlain) != program.npos) {
    return command;
  }
  // A less that does not know an option prints its name and continues.
  const std::string ask = program + " --header=1 --version 2>&1 </dev/null";
  FILE* answer = popen(ask.c_str(), "re");
  if (answer == nullptr) return command;
  std::string text;
  char buffer[512];
  for (size_t size; (size = fread(buffer, 1, sizeof buffer, answer)) > 0;) {
    text.append(buffer, size);
  }
  if (pclose(answer) != 0 || text.find("less ") == text.npos ||
      text.find("header") != text.npos) {
    return command;
  }
  return command + " --header=" + std::to_string(lines);
}

bool RunPager(const std::string& command,
              const std::function<void(FILE*)>& write, std::string* problem) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  const IgnoredKeys ignored;
  const pid_t pid = Start(command, ends[0]);
  close(ends[0]);
  FILE* input = pid < 0 ? nullptr : fdopen(ends[1], "w");
  if (input == nullptr) {
    close(ends[1]);
  } else {
    write(input);
    // A user may quit the pager early; that is not an error.
    fclose(input);
  }
  if (pid < 0) return false;
  int status;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (input == nullptr) return false;
  // Exit codes of the shell for a program that it cannot run.
  constexpr int kNotRunnable = 126, kNotFound = 127;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (code != 0 && problem != nullptr) {
    *problem = "the pager \"" + command + "\" failed with status " +
               std::to_string(code);
  }
  return code != kNotRunnable && code != kNotFound;
}

}  // namespace tfprof::util
