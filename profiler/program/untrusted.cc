#include "profiler/program/untrusted.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/core/reached_files.h"
#include "loaders/core/registry.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/deliver.h"
#include "util/run/time_limit.h"
#include "util/sandbox/confined_child.h"

namespace tfprof::program {
namespace {

using options::Completes;

// The descriptor that "/dev/fd/N" names, as shells write it for <(…).
int DescriptorOf(std::string_view path) {
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    path.remove_prefix(folder.size());
    int fd = -1;
    const char* const end = path.data() + path.size();
    const auto [at, error] = std::from_chars(path.data(), end, fd);
    return error == std::errc() && at == end ? fd : -1;
  }
  return -1;
}

std::vector<int> DescriptorsOf(const std::vector<util::UsedFile>& files) {
  std::vector<int> descriptors;
  for (const util::UsedFile& file : files) {
    const int fd = DescriptorOf(file.path);
    if (fd >= 0) descriptors.push_back(fd);
  }
  return descriptors;
}

// The names of files to write, as the user gave them.
std::vector<std::string> OutputsOf(const commands::CommandLine& line) {
  const commands::Command& command = line.command;
  std::vector<std::string> outputs = {command.options.output.outfile(),
                                      command.options.convert.path,
                                      line.flags.self_profile};
  const bool second = command.info->name == "redact";
  if (second || command.info->completes == Completes::kOutputFile) {
    outputs.insert(
        outputs.end(),
        command.arguments.begin() +
            std::min<ptrdiff_t>(second ? 1 : 0, std::ssize(command.arguments)),
        command.arguments.end());
  }
  return outputs;
}

std::string EndText(const util::ChildEnd& end) {
  if (end.signal == SIGKILL) {
    return "the process that read the files was killed; perhaps the system had "
           "no more memory";
  }
  return fmt::format(
      "the process that read the files ended with signal {} ({}): a file may "
      "have been made to attack tfprof, and could do no more than that. Report "
      "it, with the file if you can",
      end.signal, strsignal(end.signal));
}

}  // namespace

size_t UntrustedMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return 0;
  return static_cast<size_t>(pages) / 4 * 3 * static_cast<size_t>(bytes);
}

absl::Status CheckUntrusted(const commands::CommandLine& line) {
  const commands::CommandInfo* command = line.command.info;
  if (command == nullptr || command->run == nullptr) {
    return absl::InvalidArgumentError(fmt::format(
        "--untrusted is for commands that answer once, and for serve; {}",
        command == nullptr
            ? "a shell or a script needs more rights than reading: name a "
              "command"
            : fmt::format("{} needs more rights than reading", command->name)));
  }
  using Type = options::ConvertSpec::Type;
  const Type type = line.command.options.convert.type;
  if (type == Type::kFiles || type == Type::kMessages ||
      type == Type::kSession) {
    return absl::InvalidArgumentError(
        "--untrusted writes single files, and this makes a folder: write one "
        "file (-to profile:outfile=FILE, -to session:outfile=FILE)");
  }
  return absl::OkStatus();
}

std::vector<util::UsedFile> FilesOf(const commands::CommandLine& line) {
  const options::Options& options = line.command.options;
  std::vector<util::UsedFile> files;
  const auto add = [&](const loaders::LoadRequest& request) {
    loaders::ReachedFiles reached =
        loaders::ReachedBy(request, loaders::Formats());
    for (std::string& path : reached.paths) files.push_back({std::move(path)});
    for (std::string& path : reached.listed) {
      files.push_back({std::move(path), util::FileUse::kList});
    }
  };
  add(line.flags.inputs);
  loaders::LoadRequest others;
  others.files = line.flags.base;
  if (line.command.info->completes == Completes::kFile) {
    for (const std::string& word : line.command.arguments) {
      others.files.push_back(word);
    }
  }
  add(others);
  for (const std::string& folder : options.source_paths) {
    files.push_back({folder});
  }
  if (!options.check.rules_file.empty()) {
    files.push_back({options.check.rules_file});
  }
  return files;
}

bool MayMake(const commands::CommandLine& line, const std::string& path) {
  for (const std::string& output : OutputsOf(line)) {
    if (output.empty() || !path.starts_with(output)) continue;
    std::string_view rest = std::string_view(path).substr(output.size());
    // The reference writes a file for each step: FILE_100.
    if (rest.starts_with('_') && rest.size() > 1) {
      rest.remove_prefix(rest.starts_with("_-") ? 2 : 1);
      const size_t digits = rest.find_first_not_of("0123456789");
      if (digits == rest.npos) return true;
    }
    if (rest.empty()) return true;
  }
  return false;
}

int RunUntrusted(const commands::CommandLine& line, int failed,
                 shell::TerminalUi& ui, const std::function<int()>& run) {
  const bool agent = line.command.options.agent;
  util::ConfinedChild child;
  child.confinement.files = FilesOf(line);
  child.descriptors = DescriptorsOf(child.confinement.files);
  child.may_make = [&line](const std::string& path) {
    return MayMake(line, path);
  };
  child.seconds =
      line.flags.max_seconds > 0 ? line.flags.max_seconds : kUntrustedSeconds;
  child.say = [&ui](const std::string& missing) {
    ui.Error(fmt::format("tfprof: --untrusted: {}\n", missing));
  };
  // A pager would be another program.
  ui.DropPager();
  const auto report = [&](const absl::Status& status) {
    shell::ReportError(status,
                       fmt::format("tfprof: {}", std::string(status.message())),
                       agent, ui);
    return failed;
  };
  const absl::StatusOr<util::ChildEnd> end = util::RunConfined(child, run);
  if (!end.ok()) {
    return report(absl::Status(
        end.status().code(),
        fmt::format("--untrusted: {}", std::string(end.status().message()))));
  }
  if (end->out_of_time) {
    return report(absl::DeadlineExceededError(std::string(util::kOutOfTime)));
  }
  if (end->signal != 0) return report(absl::InternalError(EndText(*end)));
  return end->status;
}

}  // namespace tfprof::program
