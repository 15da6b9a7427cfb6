#include "loaders/load.h"

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "loaders/inputs.h"
#include "loaders/load_context.h"
#include "loaders/load_plan.h"
#include "loaders/tensorflow/checkpoint/checkpoint.h"
#include "loaders/tensorflow/graph_def/graph_def.h"
#include "loaders/tensorflow/op_log/op_log.h"
#include "loaders/tensorflow/profile_proto/profile_proto.h"
#include "loaders/tensorflow/run_metadata/run_metadata.h"
#include "loaders/tensorflow/text_proto.h"
#include "util/self_profile.h"
#include "util/stop.h"

namespace tfprof {
namespace {

// A RecordRef names its input in 16 bits.
constexpr size_t kMaxFiles = 65535;

class Loading {
 public:
  explicit Loading(const LoadRequest& request)
      : request_(request),
        inputs_(context_.log, request.progress != nullptr
                                  ? *request.progress
                                  : context_.no_progress) {
    context_.builder.SetMaxMemory(request.max_memory);
    if (request.progress != nullptr) context_.progress = request.progress;
    context_.same_step = request.same_step;
  }

  absl::StatusOr<Loaded> Run() {
    absl::StatusOr<LoadPlan> plan = PlanLoad(request_, inputs_, context_.log);
    absl::Status status = plan.status();
    if (status.ok()) {
      plan_ = *std::move(plan);
      status = Execute();
    }
    // What was made until then is not whole.
    if (StopRequested()) return absl::CancelledError("stopped");
    if (!status.ok()) return status;
    if (context_.builder.dropped_executions()) {
      context_.log.Add(
          ImportLog::kNotice, "executions dropped",
          fmt::format("The profile is larger than --max_memory={}: its single "
                      "executions were dropped, their sums per node and step "
                      "kept. All views are exact; there is no timeline.",
                      request_.max_memory));
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
      for (const std::string& path : *paths) inputs_.Expect(path);
    }
    for (const LoadPlan::StepFile& file : plan_.run_metas) {
      inputs_.Expect(file.path);
    }
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

  absl::Status LoadRunMetas() {
    std::vector<RunMetadataFile> files;
    for (const LoadPlan::StepFile& planned : plan_.run_metas) {
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
    auto file = inputs_.Open(path);
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
        inputs_.ExpectBytes(path,
                            static_cast<int64_t>((*binary)->bytes().size()));
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

  const LoadRequest& request_;
  LoadContext context_;
  Inputs inputs_;
  LoadPlan plan_;
  Loaded loaded_;
};

}  // namespace

absl::StatusOr<Loaded> Load(const LoadRequest& request) {
  return Loading(request).Run();
}

}  // namespace tfprof
