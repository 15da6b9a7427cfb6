#include "loaders/load.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "fmt/format.h"
#include "loaders/checkpoint/checkpoint.h"
#include "loaders/graph_def/graph_def.h"
#include "loaders/load_context.h"
#include "loaders/op_log/op_log.h"
#include "loaders/profile_proto/profile_proto.h"
#include "loaders/run_metadata/run_metadata.h"
#include "loaders/text_proto.h"
#include "util/errno_status.h"
#include "util/self_profile.h"
#include "util/stop.h"

namespace tfprof {
namespace {

struct StepFile {
  std::string path;
  std::optional<int64_t> step;  // nullopt: by position
};

// What is to be loaded, in order.
struct Plan {
  std::vector<std::string> profiles, graphs, op_logs;
  std::vector<StepFile> run_metas;
  std::string checkpoint;
};

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

bool IsDirectory(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

int64_t FileSize(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? info.st_size : 0;
}

// "100:FILE" names a step, unless such a file exists.
StepFile SplitStep(const std::string& word) {
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

// What "run_meta_9" < "run_meta_10" needs: digits compare as numbers.
bool NaturalLess(const std::string& a, const std::string& b) {
  size_t i = 0, j = 0;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      size_t ie = i, je = j;
      while (ie < a.size() && digit(a[ie])) ++ie;
      while (je < b.size() && digit(b[je])) ++je;
      if (ie - i != je - j) return ie - i < je - j;
      const int order = a.compare(i, ie - i, b, j, je - j);
      if (order != 0) return order < 0;
      i = ie;
      j = je;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
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
  std::sort(names.begin(), names.end(), NaturalLess);
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

// A RecordRef names its input in 16 bits.
constexpr size_t kMaxFiles = 65535;

// Files that stand beside inputs and are none.
bool IsCompanion(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return EndsWith(name, ".json") || EndsWith(name, ".meta") ||
         name == "checkpoint" || name.find(".data-") != name.npos ||
         name.find("tfevents") != name.npos;
}

class Loading {
 public:
  absl::StatusOr<Loaded> Run(const LoadRequest& request) {
    context_.builder.SetMaxMemory(request.max_memory);
    if (request.progress != nullptr) context_.progress = request.progress;
    context_.same_step = request.same_step;
    absl::Status status = MakePlan(request);
    if (status.ok()) status = Execute();
    // What was made until then is not whole.
    if (StopRequested()) return absl::CancelledError("stopped");
    if (!status.ok()) return status;
    if (context_.builder.dropped_executions()) {
      context_.log.Add(
          ImportLog::kNotice, "executions dropped",
          fmt::format("The profile is larger than --max_memory={}: its single "
                      "executions were dropped, their sums per node and step "
                      "kept. All views are exact; there is no timeline.",
                      request.max_memory));
    }
    const ScopedPhase phase("build profile");
    loaded_.profile = std::move(context_.builder).Build();
    loaded_.log = std::move(context_.log);
    if (loaded_.profile.nodes().size() == 0 && loaded_.log.damaged()) {
      // Nothing of what was asked for: better no profile than an empty one.
      for (const ImportLog::Entry& entry : loaded_.log.entries()) {
        if (entry.severity == ImportLog::kDamage && !entry.texts.empty()) {
          return absl::DataLossError(entry.texts.front());
        }
      }
    }
    return std::move(loaded_);
  }

 private:
  absl::Status MakePlan(const LoadRequest& request) {
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
      if (!IsDirectory(file.path)) ExpectFile(file.path);
    }
    for (const std::string& word : request.files) {
      const StepFile file = SplitStep(word);
      absl::Status status = IsDirectory(file.path)
                                ? PlanDirectory(file.path)
                                : PlanFile(file, /*in_directory=*/false, plan_);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // A file without a flag.
  absl::Status PlanFile(const StepFile& file, bool in_directory, Plan& plan) {
    if (!in_directory && !Exists(file.path) && Exists(file.path + ".index")) {
      plan.checkpoint = file.path;  // the prefix of a checkpoint
      return absl::OkStatus();
    }
    const auto input = Open(file.path);
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
        Forget(file.path);
        break;
      case Format::kUnknown:
        if (in_directory) {
          if (!IsCompanion(file.path)) Left(file.path, "of no known kind");
          Forget(file.path);
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
    Plan found;
    for (const std::string& name : *names) {
      if (!IsDirectory(name) && !IsCompanion(name)) ExpectFile(name);
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
    Forget(path);
    context_.log.Add(ImportLog::kNotice, "file of the directory not read",
                     fmt::format("{}: not read: {}; name the files to choose "
                                 "others",
                                 path, what));
  }

  absl::Status Execute() {
    const size_t files = plan_.profiles.size() + plan_.graphs.size() +
                         plan_.op_logs.size() + plan_.run_metas.size();
    if (files > kMaxFiles) {
      return absl::InvalidArgumentError(fmt::format(
          "{} files are too many, {} is the most; save some of them as one "
          "profile first (tfprof FILE… save OUT)",
          files, kMaxFiles));
    }
    for (const auto* paths : {&plan_.profiles, &plan_.graphs, &plan_.op_logs}) {
      for (const std::string& path : *paths) ExpectFile(path);
    }
    for (const StepFile& file : plan_.run_metas) ExpectFile(file.path);
    for (const std::string& path : plan_.profiles) {
      const absl::Status status =
          LoadFile(path, Format::kProfileProto, "profile");
      if (!status.ok()) return status;
    }
    for (const std::string& path : plan_.graphs) {
      const absl::Status status =
          LoadFile(path, Format::kGraphDef, "graph_path");
      if (!status.ok()) return status;
    }
    for (const std::string& path : plan_.op_logs) {
      const absl::Status status = LoadFile(path, Format::kOpLog, "op_log_path");
      if (!status.ok()) return status;
    }
    if (!plan_.checkpoint.empty()) {
      const absl::Status status = LoadCheckpoint();
      if (!status.ok()) return status;
    }
    return LoadRunMetas();
  }

  // The bytes of a file, of what was made of it before it can be loaded, and of
  // all work.
  struct Expected {
    int64_t size = 0;
    int64_t prepared = 0;
    int64_t total = 0;
    bool opened = false;
  };

  // A file that may be opened yet, unless it was.
  void ExpectFile(const std::string& path) {
    if (expected_.contains(path)) return;
    const int64_t size = FileSize(path);
    expected_[path].size = size;
    unopened_bytes_ += size;
    UpdateTotal();
  }

  // `bytes` of `path` are to be loaded.
  void Expect(const std::string& path, int64_t bytes) {
    Expected& expected = expected_[path];
    if (!std::exchange(expected.opened, true)) {
      unopened_bytes_ -= expected.size;
      opened_bytes_ += expected.size;
    }
    const int64_t total = expected.prepared + bytes;
    opened_total_ += total - std::exchange(expected.total, total);
    UpdateTotal();
  }

  // Nothing of `path` is to be loaded.
  void Forget(const std::string& path) {
    Expect(path, 0);
    opened_bytes_ -= std::exchange(expected_[path].size, 0);
    UpdateTotal();
  }

  // Files that were not opened yet are taken for as compressed as the others.
  void UpdateTotal() {
    const double each = opened_bytes_ > 0
                            ? static_cast<double>(opened_total_) /
                                  static_cast<double>(opened_bytes_)
                            : 1;
    context_.progress->total =
        opened_total_ +
        static_cast<int64_t>(each * static_cast<double>(unopened_bytes_));
  }

  // `done` of about `total` bytes of `path` are unpacked or read from a pipe.
  // They are work twice: now, and when they are loaded.
  void Prepared(const std::string& path, int64_t done, int64_t total) {
    Expected& expected = expected_[path];
    context_.progress->done += std::max<int64_t>(done - expected.prepared, 0);
    expected.prepared = done;
    if (total > 0) Expect(path, 2 * total - done);
  }

  absl::Status LoadRunMetas() {
    std::vector<RunMetadataFile> files;
    for (const StepFile& planned : plan_.run_metas) {
      const auto position = static_cast<int64_t>(files.size());
      const int64_t step = planned.step.value_or(position);
      auto file = OpenAs(planned.path, Format::kRunMetadata);
      if (!file.ok()) return Failed("run_meta_path", file.status());
      files.push_back({*std::move(file), step});
      loaded_.sources.push_back({planned.path, Format::kRunMetadata, step});
    }
    const ScopedPhase phase("run metadata",
                            fmt::format("{} files", files.size()));
    const absl::Status status = LoadRunMetadata(files, context_, [this] {
      loaded_.coverage.push_back(
          static_cast<double>(context_.num_covered) /
          (static_cast<double>(context_.builder.graph().nodes.size()) + 1e-10));
    });
    return status.ok() ? status : Failed("run_meta_path", status);
  }

  // A file that was sniffed is not opened, or uncompressed, a second time.
  absl::StatusOr<std::shared_ptr<const InputFile>> Open(
      const std::string& path) {
    const auto known = opened_.find(path);
    if (known != opened_.end()) return known->second;
    auto file = InputFile::Open(path, [&](int64_t done, int64_t total) {
      Prepared(path, done, total);
    });
    if (file.ok()) {
      opened_[path] = *file;
      Expect(path, static_cast<int64_t>((*file)->bytes().size()));
      if (!(*file)->damage().empty()) {
        context_.log.Add(ImportLog::kDamage, "gzip stream cut short",
                         (*file)->damage());
      }
    }
    return file;
  }

  static absl::Status Failed(std::string_view what,
                             const absl::Status& status) {
    return absl::Status(status.code(),
                        fmt::format("Failed to read {}: {}", what,
                                    std::string(status.message())));
  }

  // Reads `path`, which should be a `format`.
  absl::Status LoadFile(const std::string& path, Format format,
                        std::string_view what) {
    const ScopedPhase phase("load", path);
    auto file = OpenAs(path, format);
    absl::Status status = file.status();
    if (status.ok()) {
      switch (format) {
        case Format::kGraphDef:
          status = LoadGraphDef(*std::move(file), context_);
          break;
        case Format::kOpLog:
          context_.progress->done +=
              static_cast<int64_t>((*file)->bytes().size());
          status = LoadOpLog(*std::move(file), context_);
          break;
        case Format::kProfileProto:
          status = LoadProfileProto(*std::move(file), context_);
          break;
        case Format::kRunMetadata:
        case Format::kCheckpoint:
        case Format::kUnknown:
          status = absl::InternalError("loaded elsewhere");
      }
    }
    if (!status.ok()) return Failed(what, status);
    loaded_.sources.push_back({path, format, -1});
    return status;
  }

  // Opens a file that should be a `format`, in binary form.
  absl::StatusOr<std::shared_ptr<const InputFile>> OpenAs(
      const std::string& path, Format format) {
    auto file = Open(path);
    if (!file.ok()) return file;
    const std::string_view bytes = (*file)->bytes();
    const Sniffed sniffed = SniffFormat(bytes);
    if (sniffed.format != format && sniffed.format != Format::kUnknown &&
        (sniffed.text || !MayBe(bytes, format))) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: found {}, expected {}; give it as {} or without a flag", path,
          FormatName(sniffed.format), FormatName(format),
          FormatFlag(sniffed.format)));
    }
    if (sniffed.text) {
      auto binary = TextToBinary(**file, format, context_.log);
      // What is loaded has another size than the file.
      if (binary.ok()) {
        Expect(path, static_cast<int64_t>((*binary)->bytes().size()));
      }
      return binary;
    }
    if (bytes.empty() && format != Format::kRunMetadata) {
      // An empty message is a valid one, and an accident nearly always.
      context_.log.Add(ImportLog::kNotice, "empty file",
                       fmt::format("{}: the file is empty ({} of nothing)",
                                   path, FormatName(format)));
    }
    return file;
  }

  absl::Status LoadCheckpoint() {
    auto tensors = OpenCheckpoint(plan_.checkpoint);
    if (!tensors.ok()) return tensors.status();
    loaded_.tensors = *std::move(tensors);
    loaded_.sources.push_back({plan_.checkpoint, Format::kCheckpoint, -1});
    // The reference marks the nodes of a graph, not those of a profile.
    if (!plan_.profiles.empty()) return absl::OkStatus();
    GraphTables& graph = context_.builder.mutable_graph();
    const StringId mark = graph.strings.Intern("_checkpoint_variables");
    for (const TensorInfo& tensor : loaded_.tensors->tensors()) {
      const NodeId n = graph.nodes.Find(graph.strings.Find(tensor.name));
      if (n != kNone) context_.builder.AddType(n, mark);
    }
    return absl::OkStatus();
  }

  Plan plan_;
  absl::flat_hash_map<std::string, std::shared_ptr<const InputFile>> opened_;
  absl::flat_hash_map<std::string, Expected> expected_;
  int64_t unopened_bytes_ = 0;
  int64_t opened_bytes_ = 0;
  int64_t opened_total_ = 0;
  LoadContext context_;
  Loaded loaded_;
};

}  // namespace

absl::StatusOr<Loaded> Load(const LoadRequest& request) {
  return Loading().Run(request);
}

}  // namespace tfprof
