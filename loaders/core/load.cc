#include "loaders/core/load.h"

#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "loaders/core/inputs.h"
#include "loaders/core/load_context.h"
#include "loaders/core/load_plan.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/check.h"
#include "util/run/self_profile.h"
#include "util/text/safe_text.h"

namespace tfprof::loaders {
namespace {

// A RecordRef names its input in 16 bits.
constexpr size_t kMaxFiles = 65535;

// Returns whether a second load reads the same: a pipe can be read only once.
bool CanReadAgain(const LoadRequest& request) {
  const auto is_file = [](const std::string& path) {
    struct stat info;
    return stat(path.c_str(), &info) == 0 &&
           (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
  };
  return std::all_of(request.files.begin(), request.files.end(), is_file) &&
         std::all_of(
             request.flagged.begin(), request.flagged.end(),
             [&](const auto& flagged) { return is_file(flagged.path); });
}

class Loading {
 public:
  Loading(const LoadRequest& request, FormatRegistry formats,
          std::span<const RefusedFile> refused = {})
      : request_(request),
        formats_(formats),
        refused_before_(refused),
        context_(request.work),
        inputs_(context_.log,
                request.progress != nullptr ? *request.progress
                                            : context_.no_progress,
                request.work.cancellation) {
    context_.builder.SetMaxMemory(request.max_memory);
    if (request.progress != nullptr) context_.progress = request.progress;
    context_.same_step = request.same_step;
    context_.keep_times = request.keep_times;
  }

  // Adds what is loaded to `to`, which outlives this.
  void AddTo(const Loaded& to) {
    context_.builder =
        profile::ProfileBuilder(accounting::TfprofRules(), to.profile);
    context_.builder.SetWork(request_.work);
    context_.builder.SetMaxMemory(request_.max_memory);
    context_.run_coverage = to.coverage;
    loaded_.kept = to.kept;
  }

  absl::StatusOr<Loaded> Run() {
    absl::Status joined = LoadJoined();
    if (!joined.ok()) return joined;
    const absl::StatusOr<LoadPlan> plan =
        PlanLoad(request_, formats_, inputs_, context_.log, refused_before_);
    absl::Status status = plan.ok() ? Execute(*plan) : plan.status();
    // The result up to now is incomplete.
    if (request_.work.cancelled()) return absl::CancelledError("cancelled");
    // A changed file explains any other error.
    for (const auto& file : opened_) {
      absl::Status unchanged = file->CheckUnchanged("while it was loaded");
      if (!unchanged.ok()) return unchanged;
      loaded_.kept.Add(file);
    }
    opened_.clear();
    if (!status.ok()) return status;
    if (!context_.joined.empty()) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: cannot be joined, because no other file is a trace of PyTorch, "
          "which has the operations; open it alone",
          context_.joined.front().path));
    }
    if (context_.builder.dropped_executions()) {
      context_.log.Add(
          ImportLog::kNotice, "executions dropped",
          fmt::format("The profile is larger than --max_memory={}: its single "
                      "executions were dropped, their sums per node and step "
                      "kept. All views are exact; there is no timeline.",
                      request_.max_memory));
    }
    for (const CounterFile& file : context_.counter_files) {
      context_.log.Add(ImportLog::kNotice, "counters without a kernel",
                       fmt::format("{}: no CTF trace with its kernels is "
                                   "loaded; name the trace too",
                                   file.path));
    }
    const util::ScopedPhase phase("build profile");
    loaded_.sources.insert(loaded_.sources.end(), joined_sources_.begin(),
                           joined_sources_.end());
    context_.builder.FinishAllSteps();
    tensorflow::FinishDeviceLanes(context_.builder.finished_steps(),
                                  context_.builder.mutable_graph());
    loaded_.profile = std::move(context_.builder).Build();
    status = CheckProfile(loaded_.profile, request_.work);
    if (request_.work.cancelled()) return absl::CancelledError("cancelled");
    if (!status.ok()) {
      return absl::InternalError(fmt::format(
          "{}: what was read does not fit together: {}. tfprof has an error; "
          "report it, with the file if you can",
          loaded_.sources.empty() ? "the input" : loaded_.sources.front().path,
          std::string(status.message())));
    }
    loaded_.tensors = std::move(context_.tensors);
    loaded_.coverage = std::move(context_.run_coverage);
    loaded_.ctf_trace = std::move(context_.ctf_trace);
    loaded_.log = std::move(context_.log);
    // Logs and dumps have other tables than nodes.
    const profile::Profile& profile = loaded_.profile;
    const bool is_empty = profile.nodes().size() == 0 &&
                          profile.allocators().empty() &&
                          profile.collective_records().dumps.empty() &&
                          profile.compile_logs().compilations.empty();
    if (is_empty && loaded_.log.damaged()) {
      // Nothing was readable: an error is better than an empty profile.
      for (const ImportLog::Entry& entry : loaded_.log.entries()) {
        if (entry.severity == ImportLog::kDamage && !entry.texts.empty()) {
          return absl::DataLossError(entry.texts.front());
        }
      }
    }
    return std::move(loaded_);
  }

  // The file of a folder that made Run() fail, if there is one.
  const std::optional<RefusedFile>& refused() const { return refused_; }

 private:
  absl::Status LoadJoined() {
    for (const std::string& path : request_.joined) {
      LoadRequest request = request_;
      request.flagged.clear();
      request.joined.clear();
      request.keep_times = true;
      request.files = {path};
      absl::StatusOr<Loaded> other = Load(request, formats_);
      if (!other.ok()) return other.status();
      context_.log.Append(other->log);
      for (Loaded::Source& source : other->sources) {
        joined_sources_.push_back(std::move(source));
      }
      loaded_.unchecked.insert(loaded_.unchecked.end(),
                               other->unchecked.begin(),
                               other->unchecked.end());
      context_.joined.push_back({path, std::move(other->profile)});
    }
    return absl::OkStatus();
  }

  // Notes which file was refused. All errors of loaders begin with its name.
  void NoteRefused(const LoadPlan::Group& group, const absl::Status& status) {
    const std::string message(status.message());
    for (const LoadPlan::File& file : group.files) {
      const std::string start = file.path + ": ";
      if (file.in_folder && message.starts_with(start)) {
        refused_ = {file.path, message.substr(start.size())};
      }
    }
  }

  absl::Status Execute(const LoadPlan& plan) {
    size_t files = 0;
    for (const LoadPlan::Group& group : plan.groups) {
      context_.has_profile |= group.format->role == Role::kProfile;
      if (!group.format->index_suffix.empty()) continue;
      files += group.files.size();
      for (const LoadPlan::File& file : group.files) inputs_.Expect(file.path);
    }
    if (files > kMaxFiles) {
      return absl::InvalidArgumentError(fmt::format(
          "{} files are too many, the limit is {}; save some of them as one "
          "profile first (tfprof FILE… save OUT)",
          files, kMaxFiles));
    }
    absl::Status rules = SetRules(plan);
    if (!rules.ok()) return rules;
    for (const LoadPlan::Group& group : plan.groups) {
      absl::Status status = LoadGroup(group);
      if (status.ok()) continue;
      NoteRefused(group, status);
      const std::string_view name = group.format->failed_name;
      if (name.empty()) return status;
      // Texts of the file in it cannot fake a line of their own.
      return absl::Status(
          status.code(),
          fmt::format("Failed to read {}: {}", name,
                      util::SafeText(std::string(status.message()))));
    }
    return absl::OkStatus();
  }

  // Gives the builder the rules of all formats in the plan. Times that follow
  // different rules cannot be added up.
  absl::Status SetRules(const LoadPlan& plan) {
    const LoadPlan::Group* first = nullptr;
    for (const LoadPlan::Group& group : plan.groups) {
      const Format& format = *group.format;
      context_.builder.SetTicksPerMicro(format.ticks_per_micro);
      if (format.rules == nullptr) continue;
      if (first == nullptr) {
        first = &group;
        context_.builder.SetRules(format.rules());
      } else if (&first->format->rules() != &format.rules()) {
        return absl::InvalidArgumentError(fmt::format(
            "{} is a {} and {} is a {}: their times are counted by different "
            "rules, so they cannot be loaded together; open one of them and "
            "compare it with the other one (base FILE)",
            first->files.front().path, first->format->name,
            group.files.front().path, format.name));
      }
    }
    return absl::OkStatus();
  }

  absl::Status LoadGroup(const LoadPlan::Group& group) {
    const Format& format = *group.format;
    std::vector<FormatFile> files;
    for (const LoadPlan::File& planned : group.files) {
      FormatFile file = {.path = planned.path};
      if (!format.step_prefix.empty()) {
        file.step = planned.step.value_or(static_cast<int64_t>(files.size()));
      }
      if (format.index_suffix.empty()) {
        auto opened = OpenAs(planned.path, format);
        if (!opened.ok()) return opened.status();
        file.file = *std::move(opened);
      }
      files.push_back(std::move(file));
    }
    const bool was_damaged = context_.log.damaged();
    CheckBesideLoad beside(format, files, request_.work);
    absl::Status status = format.load(files, context_);
    if (!status.ok()) return status;
    if (was_damaged || !context_.log.damaged()) beside.Finish(context_.log);
    for (const FormatFile& file : files) {
      if (!beside.Checks(file)) {
        CheckSkippedParts(format, file.file, was_damaged);
      }
      Loaded::Source& source = loaded_.sources.emplace_back(
          Loaded::Source{.path = file.path,
                         .format = std::string(format.name),
                         .step = file.step,
                         .row = &format});
      const auto left_out = context_.left_out.find(file.path);
      if (left_out != context_.left_out.end()) {
        source.left_out = left_out->second;
      }
      if (file.file == nullptr) continue;
      // A text was loaded in its binary form.
      source.text = file.file->path() != file.path;
      if (!source.text) source.file = file.file;
    }
    return status;
  }

  // The loader has already reported the damage that it found.
  void CheckSkippedParts(const Format& format,
                         const std::shared_ptr<const InputFile>& file,
                         bool was_damaged) {
    if (file == nullptr || format.find_damage == nullptr) return;
    if (file->bytes().size() > kCheckedBytes) {
      loaded_.unchecked.push_back({file, &format});
    } else if (was_damaged || !context_.log.damaged()) {
      const util::ScopedPhase phase("check", file->path());
      CheckStructure(format, *file, request_.work.cancellation, context_.log);
    }
  }

  // Describes the damage of a file that may be a damaged one of `format`:
  // " (if it is one, it is damaged at byte 7)".
  std::string DamageOf(const Format& format, std::string_view bytes) const {
    const auto damage =
        format.find_damage == nullptr
            ? std::nullopt
            : format.find_damage(bytes, request_.work.cancellation);
    return damage ? fmt::format(" (if it is one, it is damaged at byte {})",
                                *damage)
                  : "";
  }

  // Opens a file that should be of `format`, in binary form.
  absl::StatusOr<std::shared_ptr<const InputFile>> OpenAs(
      const std::string& path, const Format& format) {
    auto file = inputs_.Open(path);
    if (!file.ok()) return file;
    opened_.push_back(*file);
    const std::string_view bytes = (*file)->bytes();
    const Sniffed sniffed = SniffFormat(bytes, formats_);
    // A small binary message fits several formats, so the flag decides.
    if (sniffed.format != &format && sniffed.format != nullptr &&
        (sniffed.text || format.sniff(bytes).score == 0)) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: found {}, expected {}{}; give it as --{} or without a flag",
          path, sniffed.format->name, format.name,
          sniffed.text ? "" : DamageOf(format, bytes), sniffed.format->flag));
    }
    if (!sniffed.text) return file;
    auto binary =
        format.from_text(**file, context_.log, request_.work.cancellation);
    // The bytes that are loaded are not as many as the file has.
    if (binary.ok()) {
      inputs_.ExpectBytes(path,
                          static_cast<int64_t>((*binary)->bytes().size()));
    }
    return binary;
  }

  const LoadRequest& request_;
  const FormatRegistry formats_;
  const std::span<const RefusedFile> refused_before_;
  std::optional<RefusedFile> refused_;
  LoadContext context_;
  Inputs inputs_;
  std::vector<std::shared_ptr<const InputFile>> opened_;  // by the plan
  std::vector<Loaded::Source> joined_sources_;
  Loaded loaded_;
};

}  // namespace

absl::StatusOr<Loaded> Load(const LoadRequest& request,
                            FormatRegistry formats) {
  // A builder cannot undo what a loader added before it failed. So the load
  // starts again without the refused file of the folder.
  std::vector<RefusedFile> refused;
  absl::Status failed;
  for (;;) {
    Loading loading(request, formats, refused);
    absl::StatusOr<Loaded> loaded = loading.Run();
    if (loaded.ok() || absl::IsCancelled(loaded.status())) return loaded;
    if (!loading.refused()) {
      // The folder has no other file, so the error of its file is shown.
      return absl::IsNotFound(loaded.status()) && !failed.ok()
                 ? failed
                 : loaded.status();
    }
    failed = loaded.status();
    if (!CanReadAgain(request)) return failed;
    refused.push_back(*loading.refused());
  }
}

absl::StatusOr<Loaded> AddRuns(const Loaded& to, const LoadRequest& request,
                               ImportLog& added, FormatRegistry formats) {
  if (to.profile.graph().self_times) {
    return absl::InvalidArgumentError(
        "found a trace, expected a profile of TensorFlow 1: a RunMetadata "
        "cannot be added to a trace, because their times are counted by "
        "different rules");
  }
  Loading loading(request, formats);
  loading.AddTo(to);
  absl::StatusOr<Loaded> loaded = loading.Run();
  if (!loaded.ok()) return loaded;
  added = loaded->log;
  ImportLog log = to.log;
  log.Append(added);
  loaded->log = std::move(log);
  loaded->tensors = to.tensors;
  loaded->unchecked.insert(loaded->unchecked.begin(), to.unchecked.begin(),
                           to.unchecked.end());
  loaded->sources.insert(loaded->sources.begin(), to.sources.begin(),
                         to.sources.end());
  return loaded;
}

}  // namespace tfprof::loaders
