#include "loaders/run_metadata/run_metadata.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/run_metadata/node_exec_stats.h"
#include "util/self_profile.h"
#include "util/threads.h"

namespace tfprof {
namespace {

constexpr uint32_t kStepStats = LengthTag(1);  // of RunMetadata
constexpr uint32_t kDevStats = LengthTag(1);   // of StepStats
constexpr uint32_t kDevice = LengthTag(1);     // of DeviceStepStats
constexpr uint32_t kNodeStats = LengthTag(2);  // of DeviceStepStats

// A piece is what one core parses at a time; a wave is what is parsed before
// it is merged, and bounds the memory for records on the way (64 bytes for
// some 300 bytes of input).
constexpr size_t kPieceBytes = 4 << 20;
constexpr size_t kWaveBytes = 256 << 20;

class RunMetadataDetails : public DetailReader {
 public:
  explicit RunMetadataDetails(std::shared_ptr<const InputFile> file)
      : file_(std::move(file)) {}

  AttributeList Attributes(uint64_t) const override { return {}; }
  // `offset` is that of a DeviceStepStats.node_stats field.
  ExecutionDetail Execution(uint64_t offset, bool on_cpu) const override {
    WireReader r(file_->bytes().substr(offset));
    if (!r.Next()) return {};
    return ReadNodeExecDetail(r.view(), on_cpu);
  }
  RecordText Text(uint64_t offset) const override {
    WireReader r(file_->bytes().substr(offset));
    if (!r.Next()) return {};
    return ReadNodeExecText(r.view());
  }
  std::vector<SeenShape> OutputShapes(uint64_t offset) const override {
    WireReader r(file_->bytes().substr(offset));
    if (!r.Next()) return {};
    return ReadNodeExecShapes(r.view());
  }
  std::string_view NodeExecStats(uint64_t offset) const override {
    WireReader r(file_->bytes().substr(offset));
    return r.Next() ? r.view() : std::string_view();
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

// Whole fields of a DeviceStepStats: all of them, or a part of many.
struct Piece {
  std::string_view bytes;
  size_t device = 0;  // of the file
};

// A file, cut but not parsed.
struct Cut {
  std::vector<Piece> pieces;
  size_t num_devices = 0;
  bool has_step_stats = false;
  absl::Status status;
  ImportLog log;
};

// What was read of a piece.
struct Parsed {
  // A name that no node had when parsing began.
  struct Unknown {
    size_t record;
    std::string_view name;
  };
  std::vector<ExecutionRecord> records;  // node kNone: unknown; no device yet
  std::vector<Unknown> unknown;
  std::string_view device;  // last name that the piece gives
  bool names_device = false;
  ImportLog log;
};

class Cutter {
 public:
  Cutter(const InputFile& file, Cut& cut) : file_(file), cut_(cut) {}

  void Run() {
    const std::string_view bytes = file_.bytes();
    WireReader metadata(bytes);
    while (metadata.Next()) {
      if (metadata.tag() == kStepStats) CutStep(metadata.view());
    }
    // A cut file ends inside its one field: what is there is read all the
    // same, and the innermost message says where it ends.
    if (metadata.damaged() &&
        !(metadata.tag() == kStepStats && !metadata.rest().empty() &&
          !CutStep(metadata.rest()))) {
      LogDamage(file_, metadata, bytes, "RunMetadata", /*kept=*/true, cut_.log);
    }
    if (metadata.damaged() && cut_.num_devices == 0) {
      cut_.status = absl::InvalidArgumentError(fmt::format(
          "{}: {}: not a RunMetadata", file_.path(), metadata.Describe(0)));
    }
  }

 private:
  // False: damaged, which is logged (or will be, by who parses the piece).
  bool CutStep(std::string_view bytes) {
    cut_.has_step_stats = true;
    WireReader step(bytes);
    while (step.Next()) {
      if (step.tag() == kDevStats) CutDevice(step.view());
    }
    if (!step.damaged()) return true;
    const bool has_rest = step.tag() == kDevStats && !step.rest().empty();
    if (has_rest) CutDevice(step.rest());
    // Whoever parses the rest tells of damage in it.
    if (has_rest && !IsWhole(step.rest())) return false;
    LogDamage(file_, step, bytes, "StepStats", /*kept=*/true, cut_.log);
    return false;
  }

  static bool IsWhole(std::string_view message) {
    WireReader r(message);
    while (r.Next()) {
    }
    return !r.damaged();
  }

  void CutDevice(std::string_view bytes) {
    const size_t device = cut_.num_devices++;
    size_t begin = 0;
    if (bytes.size() > kPieceBytes) {
      // At the ends of records; what is damaged stays in the last piece.
      WireReader r(bytes);
      while (r.Next()) {
        if (r.good_bytes() - begin < kPieceBytes) continue;
        cut_.pieces.push_back(
            {bytes.substr(begin, r.good_bytes() - begin), device});
        begin = r.good_bytes();
      }
    }
    if (begin < bytes.size() || begin == 0) {
      cut_.pieces.push_back({bytes.substr(begin), device});
    }
  }

  const InputFile& file_;
  Cut& cut_;
};

class PieceParser {
 public:
  PieceParser(const InputFile& file, uint32_t input, const GraphTables& graph,
              Parsed& parsed)
      : file_(file), input_(input), graph_(graph), parsed_(parsed) {}

  void Run(std::string_view bytes) {
    parsed_.records.reserve(bytes.size() / 300 + 1);
    names_.reserve(bytes.size() / 300 + 1);
    const size_t begin = file_.OffsetOf(bytes);
    size_t field = begin;
    WireReader device(bytes);
    while (device.Next()) {
      if (device.tag() == kNodeStats) {
        ReadNode(device.view(), MakeRecordRef(input_, field));
      } else if (device.tag() == kDevice) {
        parsed_.device = device.view();
        parsed_.names_device = true;
      }
      field = begin + device.good_bytes();
    }
    if (device.damaged()) {
      LogDamage(file_, device, bytes, "DeviceStepStats", /*kept=*/true,
                parsed_.log);
    }
    FindNodes();
  }

 private:
  struct Name {
    std::string_view text;
    uint32_t hash;
  };

  // Of all records at once, so that the lookups do not wait for memory: with a
  // million nodes each misses the cache.
  void FindNodes() {
    constexpr size_t kAhead = 8;
    const StringPool& strings = graph_.strings;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (i + 2 * kAhead < names_.size()) {
        strings.PrefetchSlot(names_[i + 2 * kAhead].hash);
        strings.PrefetchString(names_[i + kAhead].hash);
      }
      const NodeId n =
          graph_.nodes.Find(strings.Find(names_[i].text, names_[i].hash));
      parsed_.records[i].node = n;
      if (n == kNone) parsed_.unknown.push_back({i, names_[i].text});
    }
  }

  void ReadNode(std::string_view record, RecordRef ref) {
    NodeExecSums sums;
    WireReader reader(record);
    if (!ReadNodeExecSums(reader, sums)) {
      return LogDamage(file_, reader, record, "NodeExecStats",
                       /*kept=*/false, parsed_.log);
    }
    const std::string_view name =
        sums.node_name.substr(0, sums.node_name.find(':'));
    names_.push_back({name, StringPool::Hash(name)});
    if (sums.gpu_allocators > 1) {
      parsed_.log.Add(ImportLog::kNotice, "several GPU allocators for a node",
                      fmt::format("found {} gpu allocator for 1 node",
                                  sums.gpu_allocators));
    }
    parsed_.records.push_back(
        {.start = sums.start_micros,
         // 0 counts as 1 microsecond; memory does not know that.
         .duration = sums.duration_micros == 0 ? 1 : sums.duration_micros,
         .record = ref,
         .requested_bytes = sums.requested_bytes,
         .peak_bytes = sums.peak_bytes,
         .residual_bytes = sums.residual_bytes,
         .output_bytes = sums.output_bytes});
  }

  const InputFile& file_;
  const uint32_t input_;
  const GraphTables& graph_;
  Parsed& parsed_;
  std::vector<Name> names_;  // of the records
};

// Adds the pieces of a file to the builder, in order.
class Merger {
 public:
  Merger(const RunMetadataFile& file, uint32_t input, LoadContext& context)
      : file_(file),
        input_(input),
        context_(context),
        builder_(context.builder) {}

  // The pieces of one device, all of them.
  void AddDevice(std::span<Parsed> pieces) {
    std::string_view name;
    for (const Parsed& piece : pieces) {
      if (piece.names_device) name = piece.device;
    }
    const DeviceId id = builder_.mutable_graph().devices.Intern(name);
    const Device& device = builder_.graph().devices[id];
    saw_gpu_ |= device.on_gpu;
    saw_gpu_stream_ |= device.on_gpu && device.accelerator_stream;
    for (Parsed& piece : pieces) AddPiece(piece, id);
  }

  // When all devices are added.
  void Finish() {
    builder_.AddStep(file_.step);
    context_.coverage.resize(builder_.graph().nodes.size(), Coverage::kNone);
    context_.num_covered += builder_.AddExecutions(
        file_.step, std::move(executions_),
        [this](const ExecutionRecord& record) { NoteNoStart(record); },
        context_.coverage);
    if (saw_gpu_ && !saw_gpu_stream_) {
      builder_.mutable_graph().misses_accelerator_stream = true;
    }
  }

 private:
  void AddPiece(Parsed& piece, DeviceId device) {
    for (const Parsed::Unknown& unknown : piece.unknown) {
      ExecutionRecord& record = piece.records[unknown.record];
      const GraphTables& graph = builder_.graph();
      record.node = graph.nodes.Find(graph.strings.Find(unknown.name));
      if (record.node != kNone) continue;
      if (IsUnaccounted(unknown.name)) {
        const StringId name =
            builder_.mutable_graph().strings.Intern(unknown.name);
        builder_.AddUnaccounted(file_.step, {name, device, record.start,
                                             record.duration, record.record});
      } else {
        record.node = builder_.AddNode(unknown.name, unknown.name, kNoRecord);
        context_.coverage.resize(builder_.graph().nodes.size(),
                                 Coverage::kNone);
        context_.coverage[record.node] = Coverage::kMade;
      }
    }
    if (!piece.unknown.empty()) {
      std::erase_if(piece.records, [](const ExecutionRecord& record) {
        return record.node == kNone;
      });
    }
    context_.log.Append(piece.log);
    executions_.push_back({device, std::move(piece.records)});
    piece = Parsed();
  }

  void NoteNoStart(const ExecutionRecord& record) {
    constexpr std::string_view kKind = "node without a start time";
    if (!context_.log.WantsText(kKind)) {
      return context_.log.Count(ImportLog::kNotice, kKind, 1);
    }
    const uint64_t offset = record.record - MakeRecordRef(input_, 0);
    WireReader field(file_.file->bytes().substr(offset));
    NodeExecSums sums;
    if (field.Next()) {
      WireReader stats(field.view());
      ReadNodeExecSums(stats, sums);
    }
    context_.log.Add(
        ImportLog::kNotice, kKind,
        fmt::format("{} has no start time, skipping", sums.node_name));
  }

  const RunMetadataFile& file_;
  const uint32_t input_;
  LoadContext& context_;
  ProfileBuilder& builder_;
  std::vector<DeviceExecutions> executions_;
  bool saw_gpu_ = false;
  bool saw_gpu_stream_ = false;
};

}  // namespace

absl::Status LoadRunMetadata(std::span<const RunMetadataFile> files,
                             LoadContext& context,
                             const std::function<void()>& loaded) {
  struct Job {
    size_t file;
    const Piece* piece;
  };
  std::vector<uint32_t> inputs;
  for (const RunMetadataFile& file : files) {
    inputs.push_back(context.builder.AddInput(
        std::make_shared<RunMetadataDetails>(file.file)));
  }
  const size_t wave =
      context.builder.max_memory() == 0
          ? kWaveBytes
          : std::clamp(context.builder.max_memory(), kPieceBytes, kWaveBytes);
  std::vector<int64_t> steps;  // merged, without columns yet
  for (size_t first = 0; first < files.size();) {
    // As many files as a wave holds, one at least.
    size_t last = first;
    size_t bytes = 0;
    do {
      bytes += files[last++].file->bytes().size();
    } while (last < files.size() &&
             bytes + files[last].file->bytes().size() <= wave);

    std::vector<Cut> cuts(last - first);
    ParallelFor(cuts.size(), [&](size_t i) {
      const ScopedPhase phase("cut", files[first + i].file->path());
      Cutter(*files[first + i].file, cuts[i]).Run();
    });
    std::vector<Job> jobs;
    for (size_t i = 0; i < cuts.size(); ++i) {
      for (const Piece& piece : cuts[i].pieces) jobs.push_back({i, &piece});
    }
    // The columns of the wave before are made while this one is parsed.
    std::vector<ProfileBuilder::UnfinishedStep> making =
        context.builder.BeginSteps(steps);
    steps.clear();
    std::vector<Parsed> parsed(jobs.size());
    const GraphTables& graph = context.builder.graph();
    ParallelFor(making.size() + jobs.size(), [&](size_t i) {
      if (i < making.size()) {
        const ScopedPhase phase("make columns");
        return context.builder.MakeStep(making[i], /*parallel=*/false);
      }
      const Job& job = jobs[i - making.size()];
      const size_t file = first + job.file;
      const ScopedPhase phase("parse", files[file].file->path());
      PieceParser(*files[file].file, inputs[file], graph,
                  parsed[i - making.size()])
          .Run(job.piece->bytes);
      context.progress->done += static_cast<int64_t>(job.piece->bytes.size());
    });
    context.builder.EndSteps(std::move(making));

    size_t j = 0;
    for (size_t i = 0; i < cuts.size(); ++i) {
      const RunMetadataFile& file = files[first + i];
      if (!cuts[i].status.ok()) return cuts[i].status;
      const ScopedPhase phase("merge", file.file->path());
      Merger merger(file, inputs[first + i], context);
      while (j < jobs.size() && jobs[j].file == i) {
        size_t end = j;
        while (end < jobs.size() && jobs[end].file == i &&
               jobs[end].piece->device == jobs[j].piece->device) {
          ++end;
        }
        merger.AddDevice({parsed.data() + j, parsed.data() + end});
        j = end;
      }
      context.log.Append(cuts[i].log);
      if (cuts[i].has_step_stats) {
        merger.Finish();
        steps.push_back(file.step);
      } else {
        // The reference says so and goes on with the other files.
        context.log.Add(
            ImportLog::kDamage, "run metadata without step_stats",
            fmt::format("{}: Invalid RunMetadata for step {}: no step_stats "
                        "in its {} bytes; was the run traced (FULL_TRACE)?",
                        file.file->path(), file.step,
                        file.file->bytes().size()));
      }
      loaded();
    }
    first = last;
  }
  const ScopedPhase phase("make columns");
  context.builder.FinishSteps(steps);
  return absl::OkStatus();
}

absl::Status LoadRunMetadata(std::shared_ptr<const InputFile> file,
                             int64_t step, LoadContext& context) {
  const RunMetadataFile files[] = {{std::move(file), step}};
  return LoadRunMetadata(files, context, [] {});
}

}  // namespace tfprof
