#include "loaders/run_metadata/run_metadata.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/run_metadata/node_exec_stats.h"

namespace tfprof {
namespace {

constexpr uint32_t kStepStats = LengthTag(1);  // of RunMetadata
constexpr uint32_t kDevStats = LengthTag(1);   // of StepStats
constexpr uint32_t kDevice = LengthTag(1);     // of DeviceStepStats
constexpr uint32_t kNodeStats = LengthTag(2);  // of DeviceStepStats

class RunMetadataDetails : public DetailReader {
 public:
  explicit RunMetadataDetails(std::shared_ptr<const InputFile> file)
      : file_(std::move(file)) {}

  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t) const override {
    return {};
  }
  // `offset` is that of a DeviceStepStats.node_stats field.
  ExecutionDetail Execution(uint64_t offset, bool on_cpu) const override {
    WireReader r(file_->bytes().substr(offset));
    if (!r.Next()) return {};
    return ReadNodeExecDetail(r.view(), on_cpu);
  }
  bool record_is_group() const override { return false; }

 private:
  std::shared_ptr<const InputFile> file_;
};

// Names whose executions the reference drops when no node has them.
bool IsUnaccounted(std::string_view name) {
  return name == "RecvTensor" || name == "_SOURCE" ||
         name.find("MEMCPY") != name.npos;
}

class Loader {
 public:
  Loader(std::shared_ptr<const InputFile> file, int64_t step,
         LoadContext& context)
      : file_(*file), step_(step), context_(context),
        builder_(context.builder) {
    input_ = builder_.AddInput(std::make_shared<RunMetadataDetails>(file));
  }

  absl::Status Load() {
    const std::string_view bytes = file_.bytes();
    WireReader metadata(bytes);
    while (metadata.Next()) {
      if (metadata.tag() == kStepStats) ReadStepStats(metadata.view());
    }
    // A cut file ends inside its one field: what is there is read all the
    // same, and the innermost message says where it ends.
    if (metadata.damaged() && !(metadata.tag() == kStepStats &&
                                !metadata.rest().empty() &&
                                !ReadStepStats(metadata.rest()))) {
      LogDamage(file_, metadata, bytes, "RunMetadata", /*kept=*/true,
                context_.log);
    }
    if (metadata.damaged() && devices_ == 0) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {}: not a RunMetadata", file_.path(), metadata.Describe(0)));
    }
    if (!seen_step_stats_) {
      // The reference says so and goes on with the other files.
      context_.log.Add(
          ImportLog::kDamage, "run metadata without step_stats",
          fmt::format("{}: Invalid RunMetadata for step {}: no step_stats in "
                      "its {} bytes; was the run traced (FULL_TRACE)?",
                      file_.path(), step_, bytes.size()));
      return absl::OkStatus();
    }
    builder_.AddStep(step_);
    if (saw_gpu_ && !saw_gpu_stream_) {
      builder_.mutable_graph().misses_accelerator_stream = true;
    }
    builder_.AddExecutions(
        step_, std::move(records_), [this](const ExecutionRecord& r) {
          constexpr std::string_view kKind = "node without a start time";
          if (!context_.log.WantsText(kKind)) {
            return context_.log.Count(ImportLog::kNotice, kKind, 1);
          }
          const RecordRef offset = r.record - MakeRecordRef(input_, 0);
          WireReader field(file_.bytes().substr(offset));
          NodeExecSums sums;
          if (field.Next()) {
            WireReader record(field.view());
            ReadNodeExecSums(record, sums);
          }
          context_.log.Add(
              ImportLog::kNotice, kKind,
              fmt::format("{} has no start time, skipping", sums.node_name));
        });
    builder_.FinishStep(step_);
    return absl::OkStatus();
  }

 private:
  // False: damaged, which is logged.
  bool ReadStepStats(std::string_view bytes) {
    seen_step_stats_ = true;
    WireReader step(bytes);
    while (step.Next()) {
      if (step.tag() == kDevStats) ReadDevice(step.view());
    }
    if (!step.damaged()) return true;
    if (step.tag() != kDevStats || step.rest().empty() ||
        ReadDevice(step.rest())) {
      LogDamage(file_, step, bytes, "StepStats", /*kept=*/true, context_.log);
    }
    return false;
  }

  // False: damaged, which is logged.
  bool ReadDevice(std::string_view bytes) {
    std::string_view name;
    const size_t first = records_.size();
    const size_t first_unaccounted = unaccounted_.size();
    WireReader device(bytes);
    size_t field = file_.OffsetOf(bytes);
    const size_t begin = field;
    while (device.Next()) {
      if (device.tag() == kNodeStats) {
        ReadNode(device.view(), MakeRecordRef(input_, field));
      } else if (device.tag() == kDevice) {
        name = device.view();
      }
      field = begin + device.good_bytes();
    }
    if (device.damaged()) {
      LogDamage(file_, device, bytes, "DeviceStepStats", /*kept=*/true,
                context_.log);
    }
    if (device.damaged() && name.empty()) return false;
    ++devices_;
    const DeviceId id = builder_.mutable_graph().devices.Intern(name);
    for (size_t i = first; i < records_.size(); ++i) records_[i].device = id;
    for (size_t i = first_unaccounted; i < unaccounted_.size(); ++i) {
      unaccounted_[i].device = id;
      builder_.AddUnaccounted(step_, unaccounted_[i]);
    }
    const Device& d = builder_.graph().devices[id];
    saw_gpu_ |= d.on_gpu;
    saw_gpu_stream_ |= d.on_gpu && d.accelerator_stream;
    return !device.damaged();
  }

  void ReadNode(std::string_view record, RecordRef ref) {
    NodeExecSums sums;
    WireReader reader(record);
    if (!ReadNodeExecSums(reader, sums)) {
      return LogDamage(file_, reader, record, "NodeExecStats",
                       /*kept=*/false, context_.log);
    }
    // Durations of 0 count as 1 microsecond; memory does not know that.
    const int64_t duration =
        sums.duration_micros == 0 ? 1 : sums.duration_micros;
    const std::string_view name =
        sums.node_name.substr(0, sums.node_name.find(':'));
    const GraphTables& graph = builder_.graph();
    StringId name_id = graph.strings.Find(name);
    NodeId n = graph.nodes.Find(name_id);
    if (n == kNone) {
      if (IsUnaccounted(name)) {
        name_id = builder_.mutable_graph().strings.Intern(name);
        unaccounted_.push_back(
            {name_id, kNone, sums.start_micros, duration, ref});
        return;
      }
      n = builder_.AddNode(name, name, kNoRecord);
    } else {
      if (context_.covered.size() <= n) {
        context_.covered.resize(graph.nodes.size(), false);
      }
      context_.covered[n] = true;
    }
    if (sums.gpu_allocators > 1) {
      context_.log.Add(ImportLog::kNotice, "several GPU allocators for a node",
                       fmt::format("found {} gpu allocator for 1 node",
                                   sums.gpu_allocators));
    }
    records_.push_back({.node = n,
                        .start = sums.start_micros,
                        .duration = duration,
                        .record = ref,
                        .requested_bytes = sums.requested_bytes,
                        .peak_bytes = sums.peak_bytes,
                        .residual_bytes = sums.residual_bytes,
                        .output_bytes = sums.output_bytes});
  }

  const InputFile& file_;
  const int64_t step_;
  LoadContext& context_;
  ProfileBuilder& builder_;
  uint32_t input_ = 0;
  bool seen_step_stats_ = false;
  int64_t devices_ = 0;
  bool saw_gpu_ = false;
  bool saw_gpu_stream_ = false;
  std::vector<ExecutionRecord> records_;
  std::vector<Step::Unaccounted> unaccounted_;
};

}  // namespace

absl::Status LoadRunMetadata(std::shared_ptr<const InputFile> file,
                             int64_t step, LoadContext& context) {
  return Loader(std::move(file), step, context).Load();
}

}  // namespace tfprof
