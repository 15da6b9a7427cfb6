#include "loaders/tensorflow/run_metadata/run_metadata.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/tensorflow/device_names.h"
#include "loaders/tensorflow/run_metadata/node_exec_stats.h"
#include "loaders/tensorflow/transfer_text.h"
#include "util/run/self_profile.h"
#include "util/run/threads.h"

namespace tfprof::tensorflow {
namespace {

constexpr uint32_t kStepStats = util::LengthTag(1);  // of RunMetadata
constexpr uint32_t kDevStats = util::LengthTag(1);   // of StepStats
constexpr uint32_t kDevice = util::LengthTag(1);     // of DeviceStepStats
constexpr uint32_t kNodeStats = util::LengthTag(2);  // of DeviceStepStats

// One core parses a piece at a time. A wave is parsed before it is merged; it
// bounds the memory for records in transit (64 bytes for some 300 bytes of
// input).
constexpr size_t kPieceBytes = 4 << 20;
constexpr size_t kWaveBytes = 256 << 20;

class RunMetadataDetails : public profile::DetailReader {
 public:
  explicit RunMetadataDetails(const RunMetadataFile& file)
      : file_(file.file), is_step_stats_(file.is_step_stats) {}

  profile::AttributeList Attributes(uint64_t) const override { return {}; }
  // `offset` is the offset of a DeviceStepStats.node_stats field.
  profile::ExecutionDetail Execution(uint64_t offset,
                                     bool on_cpu) const override {
    util::WireReader r(file_->bytes().substr(offset));
    if (!r.Next()) return {};
    return ReadNodeExecDetail(r.view(), on_cpu);
  }
  profile::RecordText Text(uint64_t offset) const override {
    util::WireReader r(file_->bytes().substr(offset));
    if (!r.Next()) return {};
    return ReadNodeExecText(r.view());
  }
  profile::Transfer TransferOf(uint64_t offset) const override {
    const profile::RecordText text = Text(offset);
    return ReadTransfer(text.name, text.label);
  }
  std::vector<profile::SeenShape> OutputShapes(uint64_t offset) const override {
    util::WireReader r(file_->bytes().substr(offset));
    if (!r.Next()) return {};
    return ReadNodeExecShapes(r.view());
  }
  std::string_view NodeExecStats(uint64_t offset) const override {
    util::WireReader r(file_->bytes().substr(offset));
    return r.Next() ? r.view() : std::string_view();
  }
  std::vector<std::string_view> StepStats() const override {
    if (is_step_stats_) return {file_->bytes()};
    std::vector<std::string_view> messages;
    util::WireReader r(file_->bytes());
    while (r.Next()) {
      if (r.tag() == kStepStats) messages.push_back(r.view());
    }
    // The end of a truncated file.
    if (r.damaged() && r.tag() == kStepStats && !r.rest().empty()) {
      messages.push_back(r.rest());
    }
    return messages;
  }
  bool record_is_group() const override { return false; }

 private:
  std::shared_ptr<const loaders::InputFile> file_;
  const bool is_step_stats_;
};

// What was read from a piece.
struct Parsed {
  // A name that no node had when parsing began.
  struct Unknown {
    size_t record;
    std::string_view name;
  };
  std::vector<profile::ExecutionRecord>
      records;  // node kNone: unknown; no lane yet
  std::vector<Unknown> unknown;
  // The records whose names show that they copy ("x:MEMCPYHtoD"), ascending.
  std::vector<size_t> copies;
  std::string_view device;  // the last name in the piece
  bool names_device = false;
  loaders::ImportLog log;
};

// Whole fields of a DeviceStepStats: all of them, or one part of many.
struct Piece {
  std::string_view bytes;
  size_t device = 0;  // number in the file
  Parsed parsed;
};

// Cuts a file into pieces on demand. The core that parses a piece has just cut
// it and has its headers in the cache. No core waits until the whole file is
// cut, which takes a fifth of the time of parsing it.
class Cutter {
 public:
  Cutter(const RunMetadataFile& file, const util::Cancellation* cancellation)
      : file_(*file.file),
        cancellation_(cancellation),
        metadata_(file.is_step_stats ? std::string_view() : file_.bytes()),
        step_({}),
        device_({}) {
    if (file.is_step_stats) BeginStep(file_.bytes());
  }

  // Returns the next piece, in the order of the file, or nullptr after the
  // last. Any thread may call it; pieces do not move.
  Piece* Next() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (;;) {
      if (util::IsCancelled(cancellation_)) return nullptr;
      if (in_device_) return CutPiece();
      if (in_step_) {
        if (step_.damaged() || !step_.Next()) {
          EndStep();
        } else if (step_.tag() == kDevStats) {
          BeginDevice(step_.view());
        }
      } else if (at_end_) {
        return nullptr;
      } else if (metadata_.damaged() || !metadata_.Next()) {
        EndFile();
      } else if (metadata_.tag() == kStepStats) {
        BeginStep(metadata_.view());
      }
    }
  }

  // The results, valid when Next() has returned nullptr.
  std::deque<Piece>& pieces() { return pieces_; }
  bool has_step_stats() const { return has_step_stats_; }
  const absl::Status& status() const { return status_; }
  const loaders::ImportLog& log() const { return log_; }

 private:
  void BeginStep(std::string_view bytes) {
    has_step_stats_ = true;
    step_bytes_ = bytes;
    step_ = util::WireReader(bytes);
    in_step_ = true;
    in_rest_of_step_ = false;
  }

  // A truncated file ends inside nested fields. The rest of the last field is
  // still read, and only the innermost message logs where it ends. So EndStep()
  // and EndFile() are called again after that rest.
  void EndStep() {
    step_is_damaged_ = step_.damaged();
    const bool has_rest =
        step_.damaged() && step_.tag() == kDevStats && !step_.rest().empty();
    if (has_rest && !in_rest_of_step_) {
      in_rest_of_step_ = true;
      return BeginDevice(step_.rest());
    }
    in_step_ = false;
    // The parser of the rest logs the damage in it.
    if (step_is_damaged_ && !(has_rest && !IsWhole(step_.rest()))) {
      loaders::LogDamage(file_, step_, step_bytes_, "StepStats", /*kept=*/true,
                         log_);
    }
  }

  void EndFile() {
    const bool has_rest = metadata_.damaged() &&
                          metadata_.tag() == kStepStats &&
                          !metadata_.rest().empty();
    if (has_rest && !in_rest_of_file_) {
      in_rest_of_file_ = true;
      return BeginStep(metadata_.rest());
    }
    at_end_ = true;
    if (!metadata_.damaged()) return;
    if (!(has_rest && step_is_damaged_)) {
      loaders::LogDamage(file_, metadata_, file_.bytes(), "RunMetadata",
                         /*kept=*/true, log_);
    }
    if (num_devices_ == 0) {
      status_ = absl::InvalidArgumentError(fmt::format(
          "{}: {}: not a RunMetadata", file_.path(), metadata_.Describe(0)));
    }
  }

  static bool IsWhole(std::string_view message) {
    util::WireReader r(message);
    while (r.Next()) {
    }
    return !r.damaged();
  }

  void BeginDevice(std::string_view bytes) {
    ++num_devices_;
    device_bytes_ = bytes;
    device_ = util::WireReader(bytes);
    in_device_ = true;
  }

  // Cuts at the ends of records; damaged bytes stay in the last piece.
  Piece* CutPiece() {
    const size_t begin = device_.good_bytes();
    size_t end = device_bytes_.size();
    if (end - begin > kPieceBytes) {
      while (device_.Next()) {
        if (device_.good_bytes() - begin < kPieceBytes) continue;
        end = device_.good_bytes();
        break;
      }
    }
    in_device_ = end < device_bytes_.size();
    return &pieces_.emplace_back(
        Piece{device_bytes_.substr(begin, end - begin), num_devices_ - 1, {}});
  }

  const loaders::InputFile& file_;
  const util::Cancellation* const cancellation_;
  std::mutex mutex_;
  std::deque<Piece> pieces_;
  util::WireReader metadata_;
  bool in_rest_of_file_ = false;
  bool at_end_ = false;
  std::string_view step_bytes_;
  util::WireReader step_;
  bool in_step_ = false;
  bool in_rest_of_step_ = false;
  bool step_is_damaged_ = false;  // true for the last step
  std::string_view device_bytes_;
  util::WireReader device_;
  bool in_device_ = false;
  size_t num_devices_ = 0;
  bool has_step_stats_ = false;
  absl::Status status_;
  loaders::ImportLog log_;
};

class PieceParser {
 public:
  PieceParser(const loaders::InputFile& file, uint32_t input,
              const profile::GraphTables& graph, Parsed& parsed)
      : file_(file), input_(input), graph_(graph), parsed_(parsed) {}

  void Run(std::string_view bytes) {
    parsed_.records.reserve(bytes.size() / 300 + 1);
    names_.reserve(bytes.size() / 300 + 1);
    const size_t begin = file_.OffsetOf(bytes);
    size_t field = begin;
    util::WireReader device(bytes);
    while (device.Next()) {
      if (device.tag() == kNodeStats) {
        ReadNode(device.view(), profile::MakeRecordRef(input_, field));
      } else if (device.tag() == kDevice) {
        parsed_.device = device.view();
        parsed_.names_device = true;
      }
      field = begin + device.good_bytes();
    }
    if (device.damaged()) {
      loaders::LogDamage(file_, device, bytes, "DeviceStepStats", /*kept=*/true,
                         parsed_.log);
    }
    FindNodes();
  }

 private:
  struct Name {
    std::string_view text;
    uint32_t hash;
  };

  // Looks up all records in one loop with prefetches, because with a million
  // nodes each lookup misses the cache.
  void FindNodes() {
    constexpr size_t kAhead = 8;
    const profile::StringPool& strings = graph_.strings;
    for (size_t i = 0; i < names_.size(); ++i) {
      if (i + 2 * kAhead < names_.size()) {
        strings.PrefetchSlot(names_[i + 2 * kAhead].hash);
        strings.PrefetchString(names_[i + kAhead].hash);
      }
      const profile::NodeId n =
          graph_.nodes.Find(strings.Find(names_[i].text, names_[i].hash));
      parsed_.records[i].node = n;
      if (n == profile::kNone) parsed_.unknown.push_back({i, names_[i].text});
    }
  }

  void ReadNode(std::string_view record, profile::RecordRef ref) {
    NodeExecSums sums;
    util::WireReader reader(record);
    if (!ReadNodeExecSums(reader, sums)) {
      return loaders::LogDamage(file_, reader, record, "NodeExecStats",
                                /*kept=*/false, parsed_.log);
    }
    const size_t colon =
        std::min(sums.node_name.find(':'), sums.node_name.size());
    const std::string_view name = sums.node_name.substr(0, colon);
    names_.push_back({name, profile::StringPool::Hash(name)});
    if (sums.node_name.substr(colon).starts_with(":MEMCPY")) {
      parsed_.copies.push_back(parsed_.records.size());
    }
    if (sums.gpu_allocators > 1) {
      parsed_.log.Add(loaders::ImportLog::kNotice,
                      "several GPU allocators for a node",
                      fmt::format("found {} gpu allocator for 1 node",
                                  sums.gpu_allocators));
    }
    parsed_.records.push_back(
        // TensorFlow writes 0 or less if it has no start.
        {.start = sums.start_micros > 0 ? sums.start_micros : profile::kNoStart,
         .duration = sums.duration_micros,
         .record = ref,
         .requested_bytes = sums.requested_bytes,
         .peak_bytes = sums.peak_bytes,
         .residual_bytes = sums.residual_bytes,
         .output_bytes = sums.output_bytes});
  }

  const loaders::InputFile& file_;
  const uint32_t input_;
  const profile::GraphTables& graph_;
  Parsed& parsed_;
  std::vector<Name> names_;  // of all records
};

// The nodes that ran in the files so far.
struct Covered {
  std::vector<profile::Coverage> nodes;  // may be shorter than the nodes
  int64_t count = 0;
};

// Returns what earlier files covered, if this load adds to a profile. A node's
// first record does not count if it made the node.
Covered CoveredBefore(const loaders::LoadContext& context) {
  Covered covered;
  if (context.run_coverage.empty()) return covered;
  const profile::NodeTable& nodes = context.builder.graph().nodes;
  std::vector<size_t> records(nodes.size(), 0);
  for (const auto& step : context.builder.finished_steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      records[static_cast<profile::NodeId>(step->node[g])] +=
          step->exec_end(g) - step->exec_begin(g);
    }
  }
  covered.nodes.resize(nodes.size(), profile::Coverage::kNone);
  for (profile::NodeId n = 0; n < nodes.size(); ++n) {
    const bool made = nodes.record[n] == profile::kNoRecord;
    if (records[n] <= (made ? 1 : 0)) continue;
    covered.nodes[n] = profile::Coverage::kCovered;
    ++covered.count;
  }
  return covered;
}

// Adds the pieces of a file to the builder, in order.
class Merger {
 public:
  Merger(const RunMetadataFile& file, uint32_t input, Covered& covered,
         loaders::LoadContext& context)
      : file_(file),
        input_(input),
        covered_(covered),
        context_(context),
        builder_(context.builder) {}

  // Adds all pieces of one device.
  void AddDevice(const std::deque<Piece>::iterator& begin,
                 const std::deque<Piece>::iterator& end) {
    std::string_view name;
    for (auto piece = begin; piece != end; ++piece) {
      if (piece->parsed.names_device) name = piece->parsed.device;
    }
    const profile::LaneId lane =
        DeviceLaneOf(file_.process, name, builder_.mutable_graph());
    const profile::GraphTables& graph = builder_.graph();
    const profile::Device& device = graph.devices[graph.lanes[lane].device];
    saw_gpu_ |= device.on_gpu;
    saw_gpu_stream_ |= device.on_gpu && device.accelerator_stream;
    for (auto piece = begin; piece != end; ++piece) {
      AddPiece(piece->parsed, lane);
    }
  }

  // Call this after all devices were added.
  void Finish() {
    builder_.AddStep(file_.step);
    covered_.nodes.resize(builder_.graph().nodes.size(),
                          profile::Coverage::kNone);
    covered_.count += builder_.AddExecutions(
        file_.step, std::move(executions_),
        [this](const profile::ExecutionRecord& record) { NoteNoStart(record); },
        covered_.nodes);
    if (saw_gpu_ && !saw_gpu_stream_) {
      builder_.mutable_graph().misses_accelerator_stream = true;
    }
  }

 private:
  void AddPiece(Parsed& piece, profile::LaneId lane) {
    const auto lane_of = [&](const Parsed::Unknown& unknown) {
      profile::GraphTables& tables = builder_.mutable_graph();
      return std::binary_search(piece.copies.begin(), piece.copies.end(),
                                unknown.record)
                 ? TransferLane(lane, profile::LaneKind::kCopies, tables)
                 : LaneOfOutside(unknown.name, lane, tables);
    };
    for (const Parsed::Unknown& unknown : piece.unknown) {
      profile::ExecutionRecord& record = piece.records[unknown.record];
      const profile::GraphTables& graph = builder_.graph();
      record.node = graph.nodes.Find(graph.strings.Find(unknown.name));
      if (record.node != profile::kNone) continue;
      if (!builder_.rules().MakesNode(unknown.name)) {
        const profile::StringId name =
            builder_.mutable_graph().strings.Intern(unknown.name);
        builder_.AddOutside(file_.step, {name, lane_of(unknown), record.start,
                                         record.duration, record.record});
      } else {
        record.node =
            builder_.AddNode(unknown.name, unknown.name, profile::kNoRecord);
        covered_.nodes.resize(builder_.graph().nodes.size(),
                              profile::Coverage::kNone);
        covered_.nodes[record.node] = profile::Coverage::kMade;
      }
    }
    const size_t outside = piece.unknown.size();
    if (builder_.graph().lanes[lane].kind == profile::LaneKind::kKernels) {
      MoveCopies(piece, lane);
    }
    if (outside > 0 || !piece.copies.empty()) {
      std::erase_if(piece.records, [](const profile::ExecutionRecord& record) {
        return record.node == profile::kNone;
      });
    }
    context_.log.Append(piece.log);
    executions_.push_back({.lane = lane, .records = std::move(piece.records)});
    piece = Parsed();
  }

  // The copies of nodes do not run on the lane of the kernels.
  void MoveCopies(Parsed& piece, profile::LaneId lane) {
    profile::LaneExecutions copies;
    for (const size_t i : piece.copies) {
      profile::ExecutionRecord& record = piece.records[i];
      if (record.node == profile::kNone) continue;
      copies.records.push_back(record);
      record.node = profile::kNone;
    }
    if (copies.records.empty()) return;
    copies.lane = TransferLane(lane, profile::LaneKind::kCopies,
                               builder_.mutable_graph());
    executions_.push_back(std::move(copies));
  }

  void NoteNoStart(const profile::ExecutionRecord& record) {
    constexpr std::string_view kKind = "node without a start time";
    if (!context_.log.WantsText(kKind)) {
      return context_.log.Count(loaders::ImportLog::kNotice, kKind, 1);
    }
    const uint64_t offset = record.record - profile::MakeRecordRef(input_, 0);
    util::WireReader field(file_.file->bytes().substr(offset));
    NodeExecSums sums;
    if (field.Next()) {
      util::WireReader stats(field.view());
      static_cast<void>(ReadNodeExecSums(stats, sums));
    }
    context_.log.Add(
        loaders::ImportLog::kNotice, kKind,
        fmt::format("{} has no start time, skipping", sums.node_name));
  }

  const RunMetadataFile& file_;
  const uint32_t input_;
  Covered& covered_;
  loaders::LoadContext& context_;
  profile::ProfileBuilder& builder_;
  std::vector<profile::LaneExecutions> executions_;
  bool saw_gpu_ = false;
  bool saw_gpu_stream_ = false;
};

}  // namespace

absl::Status LoadRunMetadata(std::span<const RunMetadataFile> files,
                             loaders::LoadContext& context) {
  Covered covered = CoveredBefore(context);
  std::vector<uint32_t> inputs;
  for (const RunMetadataFile& file : files) {
    inputs.push_back(
        context.builder.AddInput(std::make_shared<RunMetadataDetails>(file)));
  }
  const size_t wave =
      context.builder.max_memory() == 0
          ? kWaveBytes
          : std::clamp(context.builder.max_memory(), kPieceBytes, kWaveBytes);
  std::vector<int64_t> steps;  // merged, but still without columns
  for (size_t first = 0; first < files.size();) {
    // As many files as fit in a wave, but at least one.
    size_t last = first;
    size_t bytes = 0;
    do {
      bytes += files[last++].file->bytes().size();
    } while (last < files.size() &&
             bytes + files[last].file->bytes().size() <= wave);

    std::deque<Cutter> cutters;
    for (size_t i = first; i < last; ++i) {
      cutters.emplace_back(files[i], context.work.cancellation);
    }
    // The columns of the wave before are made while this one is parsed.
    std::vector<profile::ProfileBuilder::UnfinishedStep> making =
        context.builder.BeginSteps(steps);
    steps.clear();
    const profile::GraphTables& graph = context.builder.graph();
    const size_t parsers = static_cast<size_t>(util::NumThreads(context.work));
    util::ParallelFor(context.work, making.size() + parsers, [&](size_t job) {
      if (job < making.size()) {
        const util::ScopedPhase phase("make columns");
        return context.builder.MakeStep(making[job], /*parallel=*/false);
      }
      for (size_t i = 0; i < cutters.size(); ++i) {
        const loaders::InputFile& file = *files[first + i].file;
        for (;;) {
          const util::ScopedPhase phase("parse", file.path());
          Piece* piece = cutters[i].Next();
          if (piece == nullptr) break;
          PieceParser(file, inputs[first + i], graph, piece->parsed)
              .Run(piece->bytes);
          context.progress->done += static_cast<int64_t>(piece->bytes.size());
        }
      }
    });
    context.builder.EndSteps(std::move(making));

    for (size_t i = 0; i < cutters.size(); ++i) {
      const RunMetadataFile& file = files[first + i];
      Cutter& cutter = cutters[i];
      if (!cutter.status().ok()) return cutter.status();
      const util::ScopedPhase phase("merge", file.file->path());
      Merger merger(file, inputs[first + i], covered, context);
      std::deque<Piece>& pieces = cutter.pieces();
      // Bytes outside of all pieces, such as partition graphs, were skipped.
      size_t skipped = file.file->bytes().size();
      for (const Piece& piece : pieces) skipped -= piece.bytes.size();
      context.progress->done += static_cast<int64_t>(skipped);
      for (auto piece = pieces.begin(); piece != pieces.end();) {
        const auto end = std::find_if(piece, pieces.end(), [&](const Piece& p) {
          return p.device != piece->device;
        });
        merger.AddDevice(piece, end);
        piece = end;
      }
      context.log.Append(cutter.log());
      if (cutter.has_step_stats()) {
        merger.Finish();
        steps.push_back(file.step);
      } else {
        // The reference reports this and continues with the other files.
        context.log.Add(
            loaders::ImportLog::kDamage, "run metadata without step_stats",
            fmt::format("{}: Invalid RunMetadata for step {}: no step_stats "
                        "in its {} bytes; was the run traced (FULL_TRACE)?",
                        file.file->path(), file.step,
                        file.file->bytes().size()));
      }
      context.run_coverage.push_back(
          static_cast<double>(covered.count) /
          (static_cast<double>(context.builder.graph().nodes.size()) + 1e-10));
    }
    first = last;
  }
  const util::ScopedPhase phase("make columns");
  context.builder.FinishSteps(steps);
  return absl::OkStatus();
}

absl::Status LoadRunMetadata(std::shared_ptr<const loaders::InputFile> file,
                             int64_t step, loaders::LoadContext& context) {
  const RunMetadataFile files[] = {{std::move(file), step}};
  return LoadRunMetadata(files, context);
}

}  // namespace tfprof::tensorflow
