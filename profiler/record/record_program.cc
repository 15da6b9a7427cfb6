#include "profiler/record/record_program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "fmt/format.h"
#include "profiler/record/lttng_join.h"
#include "profiler/record/record_environment.h"
#include "profiler/record/recorder_file.h"
#include "profiler/record/recording_summary.h"
#include "tables/numbers.h"
#include "util/files/errno_status.h"

namespace tfprof::recording {
namespace {

constexpr int kPassedSignals[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
// Ctrl-C goes to the program too, which decides what to do.
constexpr int kIgnoredSignals[] = {SIGINT, SIGQUIT};

// The program; 0: it does not run.
volatile sig_atomic_t g_program = 0;

void PassOn(int signal) {
  const int saved = errno;
  if (g_program > 0) kill(static_cast<pid_t>(g_program), signal);
  errno = saved;
}

uint64_t ReadClock(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 +
         static_cast<uint64_t>(now.tv_nsec);
}

// CLOCK_REALTIME - CLOCK_MONOTONIC, from the closest of some readings.
uint64_t ClockOffset() {
  constexpr int kReadings = 20;
  uint64_t offset = 0, least = UINT64_MAX;
  for (int i = 0; i < kReadings; ++i) {
    const uint64_t before = ReadClock(CLOCK_MONOTONIC);
    const uint64_t real = ReadClock(CLOCK_REALTIME);
    const uint64_t after = ReadClock(CLOCK_MONOTONIC);
    if (after - before >= least) continue;
    least = after - before;
    offset = real - (before + least / 2);
  }
  return offset;
}

std::string NameOfNow() {
  const time_t now = time(nullptr);
  tm parts;
  localtime_r(&now, &parts);
  char text[32];
  strftime(text, sizeof(text), "tfprof-%Y%m%d-%H%M%S", &parts);
  return text;
}

bool IsEmptyFolder(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()),
                                                   closedir);
  if (folder == nullptr) return false;
  while (const dirent* entry = readdir(folder.get())) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      return false;
    }
  }
  return true;
}

// The folder of the trace. One that was made and has got nothing is removed.
class TraceFolder {
 public:
  explicit TraceFolder(const std::string& wanted)
      : shown_(wanted.empty() ? NameOfNow() : wanted) {}
  ~TraceFolder() {
    if (is_made_) rmdir(path_.c_str());  // fails if it has something
  }
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;

  absl::Status Make() {
    is_made_ = mkdir(shown_.c_str(), 0755) == 0;
    if (!is_made_ && errno != EEXIST) return util::ErrnoStatus(errno, shown_);
    char real[PATH_MAX];
    if (realpath(shown_.c_str(), real) == nullptr) {
      return util::ErrnoStatus(errno, shown_);
    }
    path_ = real;
    if (!is_made_ && !IsEmptyFolder(path_)) {
      return absl::AlreadyExistsError(
          fmt::format("{} exists and is not an empty folder; remove it, or "
                      "name another one: record -o FOLDER",
                      shown_));
    }
    if (access(path_.c_str(), W_OK | X_OK) != 0) {
      return util::ErrnoStatus(errno, shown_);
    }
    return absl::OkStatus();
  }

  const std::string& path() const { return path_; }
  const std::string& shown() const { return shown_; }

 private:
  const std::string shown_;  // as the user names it
  std::string path_;
  bool is_made_ = false;
};

// Runs in the new process. It restores what main() has changed.
[[noreturn]] void Execute(const std::vector<std::string>& program,
                          const RecordSetup& setup, int report) {
  for (const int signal :
       {SIGPIPE, SIGXFSZ, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) {
    ::signal(signal, SIG_DFL);
  }
  for (const auto& [name, value] : RecordEnvironment(
           setup, [](const char* name) { return getenv(name); })) {
    setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  }
  std::vector<char*> arguments;
  for (const std::string& word : program) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  if (write(report, &error, sizeof(error)) != sizeof(error))
    _exit(kCannotRecord);
  _exit(kNoSuchProgram);
}

struct Ended {
  int error = 0;   // errno with which the program could not be run; 0: it ran
  int status = 0;  // as shells have it
  bool others_run = false;  // processes that it has started
};

// Errors: no process could be made.
absl::StatusOr<Ended> Run(const std::vector<std::string>& program,
                          const RecordSetup& setup) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return util::ErrnoStatus(errno, "pipe");
  // Processes that the program leaves behind become ours, so that we know of
  // them.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const int signal : kIgnoredSignals) ::signal(signal, SIG_IGN);
  const pid_t child = fork();
  if (child < 0) {
    const int error = errno;
    close(report[0]);
    close(report[1]);
    return util::ErrnoStatus(error, "fork");
  }
  if (child == 0) Execute(program, setup, report[1]);
  g_program = child;
  for (const int signal : kPassedSignals) ::signal(signal, PassOn);
  close(report[1]);
  Ended ended;
  ssize_t n = 0;
  do {
    n = read(report[0], &ended.error, sizeof(ended.error));
  } while (n < 0 && errno == EINTR);
  close(report[0]);
  int status = 0;
  // Others that end meanwhile are waited for on the way.
  for (;;) {
    const pid_t pid = waitpid(-1, &status, 0);
    if (pid == child) break;
    if (pid < 0 && errno != EINTR) break;
  }
  g_program = 0;
  ended.status =
      WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  pid_t other = 0;
  do {
    other = waitpid(-1, nullptr, WNOHANG);
  } while (other > 0);
  ended.others_run = other == 0;
  return ended;
}

std::string Plural(uint64_t n, std::string_view one) {
  return fmt::format("{} {}{}", n, one,
                     n == 1                ? ""
                     : one.ends_with("ss") ? "es"
                                           : "s");
}

// A word of a shell.
std::string ShellWord(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@=";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

constexpr std::string_view kNotRecorded =
    "tfprof: record sees ops of TensorFlow, commands of CUDA, ROCm, OpenCL and "
    "Level Zero devices, and what a program reports through tfprof_record.h; "
    "not operations of PyTorch or JAX, nor Python functions: profile these "
    "with the package (import tfprof), or with torch.profiler, jax.profiler, "
    "nsys or rocprofv3; memory of PyTorch with "
    "torch.cuda.memory._dump_snapshot, its compilations with TORCH_TRACE=DIR. "
    "tfprof opens all these files\n";

// False: nothing was recorded, so that there is no folder.
bool SayWhatWasRecorded(const TraceFolder& folder, const Ended& ended,
                        const std::function<void(std::string_view)>& say) {
  const RecordingSummary trace = SummarizeTrace(folder.path());
  if (ended.others_run) {
    say("tfprof: processes that the program started are still running; what "
        "they do is recorded until they end\n");
  }
  if (trace.failed_processes > 0) {
    say(fmt::format(
        "tfprof: {} could not be recorded: no file could be "
        "written below {}; free space there, or record elsewhere "
        "with -o\n",
        Plural(trace.failed_processes, "process"), ShellWord(folder.shown())));
    if (trace.processes == 0) return false;
  }
  if (trace.processes == 0 && !ended.others_run) {
    say("tfprof: nothing was recorded: the program reported no op, step or "
        "device command, and there is no folder. A program that is linked "
        "statically, or has another word size, cannot be recorded\n");
    say(kNotRecorded);
    return false;
  }
  say(fmt::format(
      "tfprof: recorded {} in {} of {}, {} dropped, {}; open it with\n"
      "  tfprof {}\n",
      Plural(trace.events, "event"), Plural(trace.threads, "thread"),
      Plural(trace.processes, "process"), trace.discarded,
      tables::BytesText(trace.bytes), ShellWord(folder.shown())));
  if (trace.discarded > 0) {
    say("tfprof: events are dropped when the disk is full or -max_mib is "
        "reached; sums are lower bounds then\n");
  }
  return true;
}

// Without an error this is the exit status of the program.
absl::StatusOr<int> ExitStatus(const std::vector<std::string>& program,
                               const absl::StatusOr<Ended>& ended,
                               int* failed_as) {
  *failed_as = kCannotRecord;
  if (!ended.ok()) return ended.status();
  if (ended->error == 0) return ended->status;
  const bool is_missing = ended->error == ENOENT;
  *failed_as = is_missing ? kNoSuchProgram : kCannotExecute;
  return absl::NotFoundError(
      fmt::format("the program cannot be run: {}; {}", program[0],
                  is_missing ? "no such program, here or in PATH"
                             : strerror(ended->error)));
}

// There is a trace only with a folder for it.
absl::StatusOr<Ended> RunWithRecorder(const options::RecordOptions& options,
                                      const std::vector<std::string>& program,
                                      const std::string& folder) {
  RecordSetup setup = {
      .folder = folder, .clock_offset = ClockOffset(), .options = options};
  if (options.lttng) {
    absl::StatusOr<LttngPlace> lttng = FindLttng();
    if (!lttng.ok()) return lttng.status();
    setup.lttng_fork = lttng->fork_library;
  }
  absl::StatusOr<RecorderFile> files = RecorderFile::Make(folder);
  if (!files.ok()) return files.status();
  setup.library = files->path();
  if (options.lttng) setup.lttng_provider = files->lttng_path();
  absl::StatusOr<Ended> ended = Run(program, setup);
  if (ended.ok() && ended->others_run) files->Keep();
  return ended;
}

int RecordIntoLttng(const options::RecordOptions& options,
                    const std::vector<std::string>& program,
                    const std::function<void(std::string_view)>& say) {
  if (!options.folder.empty()) {
    say("tfprof: record: -lttng writes into the folder of its session; give "
        "either it or -o\n");
    return kCannotRecord;
  }
  int failed_as = 0;
  const absl::StatusOr<int> status =
      ExitStatus(program, RunWithRecorder(options, program, ""), &failed_as);
  if (!status.ok()) {
    say(fmt::format("tfprof: record: {}\n",
                    std::string(status.status().message())));
    return failed_as;
  }
  say("tfprof: events went into the sessions of LTTng that run; `lttng stop` "
      "ends one, and tfprof opens its folder\n");
  return *status;
}

}  // namespace

int RecordProgram(const options::RecordOptions& options,
                  const std::vector<std::string>& program,
                  const std::function<void(std::string_view)>& say) {
  if (options.lttng) return RecordIntoLttng(options, program, say);
  const auto fail = [&](const absl::Status& status, int code) {
    say(fmt::format("tfprof: record: {}\n", std::string(status.message())));
    return code;
  };
  TraceFolder folder(options.folder);
  if (const absl::Status made = folder.Make(); !made.ok()) {
    return fail(made, kCannotRecord);
  }
  const absl::StatusOr<Ended> ended =
      RunWithRecorder(options, program, folder.path());
  int failed_as = 0;
  const absl::StatusOr<int> status = ExitStatus(program, ended, &failed_as);
  if (!status.ok()) return fail(status.status(), failed_as);
  const bool recorded = SayWhatWasRecorded(folder, *ended, say);
  return *status == 0 && !recorded ? kNothingRecorded : *status;
}

}  // namespace tfprof::recording
