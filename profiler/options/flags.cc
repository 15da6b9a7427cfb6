#include "profiler/options/flags.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>

#include "loaders/core/registry.h"
#include "profiler/options/option_values.h"
#include "profiler/options/words.h"

namespace tfprof::options {
namespace {

bool SetBase(std::string_view value, ProgramFlags& flags) {
  for (std::string& file : SplitFiles(value)) {
    flags.base.push_back(std::move(file));
  }
  return !flags.base.empty();
}

template <std::string ProgramFlags::*path>
bool SetPath(std::string_view value, ProgramFlags& flags) {
  flags.*path = value;
  return true;
}

bool SetJoined(std::string_view value, ProgramFlags& flags) {
  flags.inputs.joined = SplitFiles(value);
  return true;
}

// "512M", "2G", "1000000".
bool SetMaxMemory(std::string_view value, ProgramFlags& flags) {
  return ParseByteCount(value, flags.inputs.max_memory);
}

bool SetSameStep(std::string_view value, ProgramFlags& flags) {
  constexpr std::pair<std::string_view, loaders::SameStep> kChoices[] = {
      {"renumber", loaders::SameStep::kRenumber},
      {"merge", loaders::SameStep::kMerge},
      {"error", loaders::SameStep::kError}};
  for (const auto& [name, choice] : kChoices) {
    if (name != value) continue;
    flags.inputs.same_step = choice;
    return true;
  }
  return false;
}

bool SetMaxSeconds(std::string_view value, ProgramFlags& flags) {
  const char* end = value.data() + value.size();
  unsigned& seconds = flags.max_seconds;
  const auto [at, error] = std::from_chars(value.data(), end, seconds);
  return error == std::errc() && at == end && seconds > 0;
}

bool SetUntrusted(std::string_view value, ProgramFlags& flags) {
  bool untrusted = false;
  if (!ParseBool(value, untrusted)) return false;
  flags.untrusted = untrusted;
  return true;
}

bool SetThreads(std::string_view value, ProgramFlags& flags) {
  const char* end = value.data() + value.size();
  int& threads = flags.inputs.work.threads;
  const auto [at, error] = std::from_chars(value.data(), end, threads);
  return error == std::errc() && at == end && threads > 0 && threads <= 1024;
}

// The flags of the input formats.
std::vector<FlagInfo> InputFlags() {
  std::vector<FlagInfo> flags;
  for (const loaders::Format* format : loaders::Formats()) {
    flags.push_back({format->flag, format->value_name, format->help, true,
                     false,
                     [format](std::string_view value, ProgramFlags& flags) {
                       loaders::SetInputFlag(*format, value, flags.inputs);
                       return true;
                     }});
  }
  return flags;
}

std::vector<FlagInfo> ProgramFlagTable() {
  return {
      {"base", "FILE,…",
       "Compare with this profile: views show what changed since.", true, false,
       SetBase},
      {"f", "FILE", "Run the shell lines of FILE.", true, false,
       SetPath<&ProgramFlags::script>},
      {"join", "FILE,…",
       "Add the work of devices from another recording of the same run.", true,
       false, SetJoined},
      {"max_memory", "BYTES",
       "Keep only sums of a profile larger than this (512M, 2G).", false, false,
       SetMaxMemory},
      {"max_seconds", "N", "End with an error after N seconds.", false, false,
       SetMaxSeconds},
      {"same_step", "renumber|merge|error",
       "What to do with a step that two profiles have on one device.", false,
       false, SetSameStep},
      {"threads", "N", "Work on at most N cores instead of all.", false, false,
       SetThreads},
      {"untrusted", "true|false",
       "Read the files in a process that can do nothing else.", false, true,
       SetUntrusted},
      {"self_profile", "FILE",
       "Write a Chrome trace of what tfprof itself did.", true, false,
       SetPath<&ProgramFlags::self_profile>},
  };
}

}  // namespace

std::span<const FlagInfo> FlagTable() {
  static const std::vector<FlagInfo> kFlags = [] {
    std::vector<FlagInfo> flags = InputFlags();
    for (FlagInfo& flag : ProgramFlagTable()) flags.push_back(std::move(flag));
    return flags;
  }();
  return kFlags;
}

const FlagInfo* FindFlag(std::string_view name) {
  for (const FlagInfo& flag : FlagTable()) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

bool IsReferenceFlag(std::string_view name) {
  constexpr std::string_view kFlags[] = {"profile_path", "graph_path",
                                         "run_meta_path", "op_log_path",
                                         "checkpoint_path"};
  return std::find(std::begin(kFlags), std::end(kFlags), name) !=
         std::end(kFlags);
}

std::vector<std::string> SplitFiles(std::string_view list) {
  std::vector<std::string> files;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) files.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return files;
}

}  // namespace tfprof::options
