#include "loaders/load_plan.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "loaders/format.h"
#include "util/errno_status.h"
#include "util/natural_order.h"

namespace tfprof {
namespace {

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

bool IsDirectory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// "100:FILE" names a step, unless such a file exists.
LoadPlan::StepFile SplitStep(const std::string& word) {
  const size_t colon = word.find(':');
  int64_t step = 0;
  if (colon != word.npos && colon > 0 && !Exists(word)) {
    const char* end = word.data() + colon;
    const auto [at, error] = std::from_chars(word.data(), end, step);
    if (error == std::errc() && at == end && step >= 0) {
      return {word.substr(colon + 1), step};
    }
  }
  return {word, std::nullopt};
}

// The step in a name that ProfileContext gives: "run_meta_100".
std::optional<int64_t> StepOfName(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  constexpr std::string_view kPrefix = "run_meta_";
  int64_t step = 0;
  if (name.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  const char* begin = name.data() + kPrefix.size();
  const auto [at, error] =
      std::from_chars(begin, name.data() + name.size(), step);
  if (error != std::errc() || at == begin || step < 0) return std::nullopt;
  return step;
}

absl::StatusOr<std::vector<std::string>> ListDirectory(
    const std::string& path) {
  DIR* dir = opendir(path.c_str());
  if (dir == nullptr) return ErrnoStatus(errno, path);
  std::vector<std::string> names;
  while (const dirent* entry = readdir(dir)) {
    const std::string name = entry->d_name;
    if (name[0] != '.') names.push_back(path + "/" + name);
  }
  closedir(dir);
  // run_meta_9 before run_meta_10. Names that count the same stay in an order
  // that does not depend on the file system.
  std::sort(names.begin(), names.end());
  std::stable_sort(names.begin(), names.end(), NaturalLess);
  return names;
}

bool EndsWith(std::string_view s, std::string_view tail) {
  return s.size() >= tail.size() && s.substr(s.size() - tail.size()) == tail;
}

// The prefix that --checkpoint_path wants, of a table file.
std::string CheckpointPrefix(const std::string& path) {
  constexpr std::string_view kIndex = ".index";
  return EndsWith(path, kIndex) ? path.substr(0, path.size() - kIndex.size())
                                : path;
}

// Files that stand beside inputs and are none.
bool IsCompanion(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return EndsWith(name, ".json") || EndsWith(name, ".meta") ||
         name == "checkpoint" || name.find(".data-") != name.npos ||
         name.find("tfevents") != name.npos;
}

class Planner {
 public:
  Planner(Inputs& inputs, ImportLog& log) : inputs_(inputs), log_(log) {}

  absl::StatusOr<LoadPlan> Run(const LoadRequest& request) {
    if (!request.profile_path.empty()) {
      plan_.profiles.push_back(request.profile_path);
    }
    if (!request.graph_path.empty()) {
      plan_.graphs.push_back(request.graph_path);
    }
    // With a profile, the reference ignores the op log in silence.
    if (!request.op_log_path.empty() && request.profile_path.empty()) {
      plan_.op_logs.push_back(request.op_log_path);
    }
    plan_.checkpoint = request.checkpoint_path;
    for (const std::string& word : request.run_meta_paths) {
      plan_.run_metas.push_back(SplitStep(word));
    }
    for (const std::string& word : request.files) {
      const StepFile file = SplitStep(word);
      if (!IsDirectory(file.path)) inputs_.Expect(file.path);
    }
    for (const std::string& word : request.files) {
      const StepFile file = SplitStep(word);
      absl::Status status = IsDirectory(file.path)
                                ? PlanDirectory(file.path)
                                : PlanFile(file, /*in_directory=*/false, plan_);
      if (!status.ok()) return status;
    }
    return std::move(plan_);
  }

 private:
  using StepFile = LoadPlan::StepFile;

  // A file without a flag.
  absl::Status PlanFile(const StepFile& file, bool in_directory,
                        LoadPlan& plan) {
    if (!in_directory && !Exists(file.path) && Exists(file.path + ".index")) {
      plan.checkpoint = file.path;  // the prefix of a checkpoint
      return absl::OkStatus();
    }
    const auto input = inputs_.Open(file.path);
    if (!input.ok()) return input.status();
    switch (SniffFormat((*input)->bytes()).format) {
      case Format::kGraphDef:
        plan.graphs.push_back(file.path);
        break;
      case Format::kRunMetadata:
        plan.run_metas.push_back(
            {file.path, file.step ? file.step : StepOfName(file.path)});
        break;
      case Format::kOpLog:
        plan.op_logs.push_back(file.path);
        break;
      case Format::kProfileProto:
        plan.profiles.push_back(file.path);
        break;
      case Format::kCheckpoint:
        plan.checkpoint = CheckpointPrefix(file.path);
        inputs_.Forget(file.path);
        break;
      case Format::kUnknown:
        if (in_directory) {
          if (!IsCompanion(file.path)) Left(file.path, "of no known kind");
          inputs_.Forget(file.path);
          return absl::OkStatus();
        }
        return absl::InvalidArgumentError(fmt::format(
            "{}: {}: neither a GraphDef, RunMetadata, OpLogProto, "
            "ProfileProto nor a checkpoint; name its kind with a flag "
            "(--graph_path, --run_meta_path, --op_log_path, --profile_path, "
            "--checkpoint_path) if it is one of them",
            file.path,
            (*input)->bytes().empty()
                ? "the file is empty"
                : fmt::format("byte 0: nothing in its {} bytes is known",
                              (*input)->bytes().size())));
    }
    return absl::OkStatus();
  }

  absl::Status PlanDirectory(const std::string& path) {
    const auto names = ListDirectory(path);
    if (!names.ok()) return names.status();
    LoadPlan found;
    for (const std::string& name : *names) {
      if (!IsDirectory(name) && !IsCompanion(name)) inputs_.Expect(name);
    }
    for (const std::string& name : *names) {
      if (IsDirectory(name)) continue;
      const absl::Status status =
          PlanFile({name, std::nullopt}, /*in_directory=*/true, found);
      if (!status.ok()) return status;
    }
    const bool has_sources = !found.graphs.empty();
    // Of several texts and binaries of one graph one is enough, and a saved
    // profile says nothing that its sources do not.
    if (has_sources) {
      Leave(found.graphs, 1, "another graph");
      Leave(found.profiles, 0, "a saved profile beside its sources");
    } else if (!found.profiles.empty()) {
      // ProfileContext writes everything so far at every dump: the last one
      // has it all, and its run_meta files are in it.
      std::reverse(found.profiles.begin(), found.profiles.end());
      Leave(found.profiles, 1, "an earlier profile");
      for (const StepFile& file : found.run_metas) {
        Left(file.path, "run metadata beside a profile");
      }
      found.run_metas.clear();
    }
    if (found.graphs.empty() && found.profiles.empty() &&
        found.run_metas.empty()) {
      return absl::NotFoundError(fmt::format(
          "{}: no GraphDef, RunMetadata or ProfileProto among its {} entries",
          path, names->size()));
    }
    Append(found.graphs, plan_.graphs);
    Append(found.profiles, plan_.profiles);
    Append(found.op_logs, plan_.op_logs);
    Append(found.run_metas, plan_.run_metas);
    if (!found.checkpoint.empty()) plan_.checkpoint = found.checkpoint;
    return absl::OkStatus();
  }

  template <typename T>
  static void Append(const std::vector<T>& from, std::vector<T>& to) {
    to.insert(to.end(), from.begin(), from.end());
  }

  void Leave(std::vector<std::string>& paths, size_t keep,
             std::string_view what) {
    for (size_t i = keep; i < paths.size(); ++i) Left(paths[i], what);
    paths.resize(std::min(paths.size(), keep));
  }
  void Left(const std::string& path, std::string_view what) {
    inputs_.Forget(path);
    log_.Add(ImportLog::kNotice, "file of the directory not read",
             fmt::format("{}: not read: {}; name the files to choose "
                         "others",
                         path, what));
  }

  Inputs& inputs_;
  ImportLog& log_;
  LoadPlan plan_;
};

}  // namespace

absl::StatusOr<LoadPlan> PlanLoad(const LoadRequest& request, Inputs& inputs,
                                  ImportLog& log) {
  return Planner(inputs, log).Run(request);
}

}  // namespace tfprof
