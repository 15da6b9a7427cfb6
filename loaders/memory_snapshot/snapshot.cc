#include "loaders/memory_snapshot/snapshot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "loaders/core/pickle_values.h"
#include "loaders/memory_snapshot/snapshot_folder.h"

namespace tfprof::memory_snapshot {
namespace {

using loaders::ByteNotes;
using loaders::ImportLog;
using loaders::PickleValue;
using loaders::PickleValues;
using profile::AllocatorBlock;
using profile::AllocatorEvent;
using profile::AllocatorHistory;
using profile::AllocatorRange;
using profile::AllocatorSegment;
using profile::kNone;
using Kind = PickleValue::Kind;
using Row = SnapshotFolder::Row;

constexpr size_t kMaxSniffed = 64 << 10;
constexpr int64_t kMaxDevices = 1 << 16;
constexpr int64_t kNanosPerMicro = 1000;
constexpr int64_t kMaxMicros = int64_t{1} << 53;

constexpr std::pair<std::string_view, AllocatorEvent::Kind> kActions[] = {
    {"alloc", AllocatorEvent::Kind::kAllocate},
    {"free_requested", AllocatorEvent::Kind::kFreeRequested},
    {"free_completed", AllocatorEvent::Kind::kFree},
    {"free", AllocatorEvent::Kind::kFree},
    {"segment_alloc", AllocatorEvent::Kind::kReserve},
    {"segment_map", AllocatorEvent::Kind::kReserve},
    {"segment_free", AllocatorEvent::Kind::kRelease},
    {"segment_unmap", AllocatorEvent::Kind::kRelease},
    {"oom", AllocatorEvent::Kind::kOutOfMemory},
    {"snapshot", AllocatorEvent::Kind::kOther}};

// Returns the operator of a C++ function that dispatches one:
// "mul_Tensor" of "at::_ops::mul_Tensor::call(…)"; else "".
std::string_view OperatorOf(std::string_view function) {
  constexpr std::string_view kPrefix = "at::_ops::";
  if (!function.starts_with(kPrefix)) return "";
  function.remove_prefix(kPrefix.size());
  const size_t end = function.find("::");
  return end == function.npos ? "" : function.substr(0, end);
}

// Whether an operator only makes memory, for another operator.
bool IsFactory(std::string_view op) {
  return op.starts_with("empty") || op.starts_with("new_empty") ||
         op.starts_with("resize_");
}

class Reader {
 public:
  Reader(const loaders::InputFile& file, PickleValues& values,
         const SnapshotFolder& folder, profile::GraphTables& graph,
         ImportLog& log)
      : file_(file),
        values_(values),
        folder_(folder),
        graph_(graph),
        log_(log),
        stack_ids_(folder.stacks().size(), kNone),
        ops_(folder.stacks().size()) {}

  absl::StatusOr<profile::Allocators> Read() {
    const PickleValue root = values_.Resolve(values_.root());
    PickleValue segments = root;
    PickleValue traces;
    PickleValue annotations;
    if (root.is(Kind::kDict)) {
      segments = {};
      std::optional<PickleValue> key;
      values_.ForEach(root, [&](PickleValue item) {
        if (!key) {
          key = item;
          return;
        }
        if (*key == PickleValue(Kind::kText, kSegments)) segments = item;
        if (*key == PickleValue(Kind::kText, kDeviceTraces)) traces = item;
        if (*key == PickleValue(Kind::kText, kExternalAnnotations)) {
          annotations = item;
        }
        key.reset();
      });
    }
    if (!ReadSegments(segments)) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: a pickle that is no memory snapshot: expected a list named "
          "\"segments\"; it was read, not run",
          file_.path()));
    }
    ReadTraces(traces);
    ReadAnnotations(annotations);
    LogDrops();
    profile::Allocators allocators;
    for (auto& [device, history] : devices_) {
      history.name = fmt::format("gpu:{}", device);
      Finish(history);
      allocators.push_back(std::move(history));
    }
    return allocators;
  }

 private:
  std::string_view TextOf(PickleValue value) const {
    return value.is(Kind::kText) ? values_.Text(value.data()) : "";
  }
  std::optional<int64_t> Bytes(PickleValue value) const {
    const std::optional<int64_t> bytes = values_.Integer(value);
    return bytes && *bytes >= 0 && *bytes <= AllocatorHistory::kMaxBytes
               ? bytes
               : std::nullopt;
  }
  uint64_t Address(PickleValue value) const {
    return static_cast<uint64_t>(values_.Integer(value).value_or(0));
  }

  // Counts an item of a list that is dropped.
  void Drop(std::string_view kind, PickleValue item) {
    ++drops_[kind];
    values_.NoteItem(ByteNotes::kDamaged, item);
  }

  void LogDrops() {
    for (const auto& [kind, count] : drops_) {
      log_.Add(ImportLog::kDamage, kind,
               fmt::format("{}: {}: {} of them", file_.path(), kind, count),
               count);
    }
  }

  // Returns the row of a list's item; nullopt: it is something else.
  std::optional<size_t> IndexIf(PickleValue item, Row row) const {
    const PickleValue record = values_.Resolve(item);
    if (!record.is(Kind::kRecord) || SnapshotFolder::RowOf(record) != row) {
      return std::nullopt;
    }
    return SnapshotFolder::IndexOf(record);
  }

  // Returns the operator of a stack of the folder: the innermost one of PyTorch
  // that does more than make an empty tensor, else the outermost of the others.
  profile::StringId OpOf(uint32_t stack) {
    if (stack == 0) return kNone;
    if (ops_[stack].known) return ops_[stack].name;
    Op& op = ops_[stack];
    op.known = true;
    // The way through the tree is from the outermost frame to the innermost.
    std::string_view found;
    for (uint32_t s = stack; s != 0; s = folder_.stacks()[s].inner) {
      const std::string_view name = OperatorOf(
          values_.Text(folder_.frames()[folder_.stacks()[s].frame].function));
      if (name.empty()) continue;
      if (found.empty() || !IsFactory(name)) found = name;
    }
    if (!found.empty()) {
      op.name = graph_.strings.Intern(fmt::format("aten::{}", found));
    }
    return op.name;
  }

  // Returns the stack of the profile for one of the folder.
  profile::StackId StackOf(uint32_t stack) {
    if (stack == 0) return profile::kNoStack;
    if (stack_ids_[stack] != kNone) return stack_ids_[stack];
    // From the outermost frame to the innermost.
    std::vector<uint32_t> frames;
    bool has_python = false;
    for (uint32_t s = stack; s != 0; s = folder_.stacks()[s].inner) {
      frames.push_back(folder_.stacks()[s].frame);
      has_python |= IsPython(frames.back());
    }
    profile::StackId id = profile::kNoStack;
    for (const uint32_t f : frames) {
      if (has_python && !IsPython(f)) continue;
      const SnapshotFolder::Frame& frame = folder_.frames()[f];
      id = graph_.stacks.Push(
          id, {.file = graph_.strings.Intern(values_.Text(frame.file)),
               .function = graph_.strings.Intern(values_.Text(frame.function)),
               .lineno = static_cast<int32_t>(
                   std::clamp<int64_t>(frame.line, -1, INT32_MAX))});
    }
    return stack_ids_[stack] = id;
  }

  bool IsPython(uint32_t frame) const {
    return values_.Text(folder_.frames()[frame].file).ends_with(".py");
  }

  bool ReadSegments(PickleValue segments) {
    return values_.ForEach(segments, [&](PickleValue item) {
      const std::optional<size_t> row = IndexIf(item, Row::kSegment);
      if (!row) return Drop("segment without size or blocks", item);
      ReadSegment(folder_.segments()[*row], item);
    });
  }

  void ReadSegment(const SnapshotFolder::Segment& row, PickleValue of) {
    const std::optional<int64_t> size = Bytes(row.size);
    // The first versions had no device.
    const int64_t device = values_.Integer(row.device).value_or(0);
    if (!size || device < 0 || device > kMaxDevices) {
      return Drop("segment without a size", of);
    }
    AllocatorHistory& history = devices_[device];
    AllocatorSegment segment{
        .address = Address(row.address),
        .bytes = *size,
        .stream = values_.Integer(row.stream).value_or(0),
        .pool = PoolOf(row.pool),
        .small = TextOf(row.type) == "small",
        .expandable =
            row.expandable.is(Kind::kBool) && row.expandable.data() != 0,
        .first_block = static_cast<uint32_t>(history.blocks.size())};
    uint64_t address = segment.address;
    int64_t covered = 0;
    const bool listed = values_.ForEach(row.blocks, [&](PickleValue item) {
      const std::optional<size_t> block = IndexIf(item, Row::kBlock);
      if (!block || !ReadBlock(folder_.blocks()[*block], history, address)) {
        return Drop("block without size or state", item);
      }
      covered += history.blocks.back().bytes;
    });
    if (!listed || covered != segment.bytes) {
      ++drops_["segment whose blocks do not cover it"];
      values_.NoteItem(ByteNotes::kRepaired, of);
    }
    segment.num_blocks =
        static_cast<uint32_t>(history.blocks.size()) - segment.first_block;
    history.segments.push_back(segment);
  }

  // A pool has two numbers, both 0 for the common one.
  profile::AllocatorPool PoolOf(PickleValue id) {
    std::vector<int64_t> numbers;
    values_.ForEach(id, [&](PickleValue item) {
      numbers.push_back(values_.Integer(item).value_or(0));
    });
    if (numbers.size() != 2) return {};
    return {numbers[0], numbers[1]};
  }

  // Adds a block. `address` is that of a block without one, and becomes that
  // of the next one.
  bool ReadBlock(const SnapshotFolder::Block& row, AllocatorHistory& history,
                 uint64_t& address) {
    const std::optional<int64_t> size = Bytes(row.size);
    const std::string_view state = TextOf(row.state);
    if (!size || state.empty()) return false;
    AllocatorBlock block{.bytes = *size,
                         .requested = *size,
                         .stack = StackOf(row.stack),
                         .op = OpOf(row.stack)};
    if (const std::optional<int64_t> requested = Bytes(row.requested)) {
      block.requested = *requested;
    } else {
      ReadPast(row.history, block);
    }
    block.requested = std::min(block.requested, block.bytes);
    if (state == "active_allocated") {
      block.state = AllocatorBlock::State::kAllocated;
    } else if (state != "inactive") {
      block.state = AllocatorBlock::State::kAwaitingFree;
    }
    if (values_.Integer(row.address)) address = Address(row.address);
    addresses_[&history].push_back(address);
    address += static_cast<uint64_t>(*size);
    history.blocks.push_back(block);
    return true;
  }

  // PyTorch 1.13: the allocations in a block. The first has its stack.
  void ReadPast(PickleValue past, AllocatorBlock& block) {
    int64_t requested = 0;
    bool any = false;
    values_.ForEach(past, [&](PickleValue item) {
      const std::optional<size_t> row = IndexIf(item, Row::kPast);
      if (!row) return;
      const SnapshotFolder::Past& allocation = folder_.past()[*row];
      const std::optional<int64_t> size = Bytes(allocation.size);
      if (!size) return;
      if (!any) {
        block.stack = StackOf(allocation.stack);
        block.op = OpOf(allocation.stack);
      }
      any = true;
      requested = std::min(requested + *size, AllocatorHistory::kMaxBytes);
    });
    if (any) block.requested = requested;
  }

  void ReadTraces(PickleValue traces) {
    int64_t device = 0;
    values_.ForEach(traces, [&](PickleValue trace) {
      const int64_t number = device++;
      const bool listed = values_.ForEach(trace, [&](PickleValue item) {
        const std::optional<size_t> row = IndexIf(item, Row::kEvent);
        if (!row || number > kMaxDevices) {
          return Drop("event without a kind", item);
        }
        AllocatorHistory& history = devices_[number];
        if (history.events.empty()) {
          history.events.reserve(values_.SizeOf(trace));
        }
        ReadEvent(*row, history, item);
      });
      if (!listed) Drop("events that are no list", trace);
    });
  }

  // `action` is a text index.
  std::optional<AllocatorEvent::Kind> KindOf(uint32_t action) {
    if (action == SnapshotFolder::kNoText) return std::nullopt;
    if (action == last_action_) return last_kind_;
    last_action_ = action;
    const std::string_view name = values_.Text(action);
    const auto* known =
        std::find_if(std::begin(kActions), std::end(kActions),
                     [&](const auto& pair) { return pair.first == name; });
    return last_kind_ = known == std::end(kActions)
                            ? std::nullopt
                            : std::optional(known->second);
  }

  void ReadEvent(size_t number, AllocatorHistory& history, PickleValue item) {
    const SnapshotFolder::Event& row = folder_.events()[number];
    const std::optional<AllocatorEvent::Kind> kind = KindOf(row.action);
    if (!kind) return Drop("event of an unknown kind", item);
    const std::optional<int64_t> size = Bytes(row.size);
    if (!size && *kind != AllocatorEvent::Kind::kOther) {
      return Drop("event without a size", item);
    }
    AllocatorEvent event{.address = Address(row.address),
                         .bytes = size.value_or(0),
                         .stack = StackOf(row.stack),
                         .op = OpOf(row.stack),
                         .kind = *kind};
    event.time = TimeOf(row.time).value_or(AllocatorEvent::kNoTime);
    history.events.push_back(event);
    if (*kind == AllocatorEvent::Kind::kOutOfMemory) {
      history.failure_streams.push_back(
          values_.Integer(folder_.StreamOf(number)).value_or(0));
    }
  }

  std::optional<int64_t> TimeOf(PickleValue value) const {
    const std::optional<int64_t> micros = values_.Integer(value);
    if (!micros || *micros < 0 || *micros >= kMaxMicros) return std::nullopt;
    return *micros * kNanosPerMicro;
  }

  // Pairs starts and ends of the same name, like brackets. A range without a
  // start or an end is left out: the recording began or ended inside it.
  void ReadAnnotations(PickleValue annotations) {
    std::map<std::pair<int64_t, profile::StringId>, std::vector<int64_t>> open;
    values_.ForEach(annotations, [&](PickleValue item) {
      const std::optional<size_t> row = IndexIf(item, Row::kAnnotation);
      if (!row) return Drop("annotation without a name", item);
      const SnapshotFolder::Annotation& found = folder_.annotations()[*row];
      const std::optional<int64_t> time = TimeOf(found.time);
      const int64_t device = values_.Integer(found.device).value_or(0);
      const std::string_view stage = TextOf(found.stage);
      if (!time || (stage != "START" && stage != "END")) {
        return Drop("annotation without a time", item);
      }
      const auto history = devices_.find(device);
      if (history == devices_.end()) return;
      const profile::StringId name = graph_.strings.Intern(TextOf(found.name));
      std::vector<int64_t>& starts = open[{device, name}];
      if (stage == "START") {
        starts.push_back(*time);
      } else if (!starts.empty()) {
        if (starts.back() <= *time) {
          history->second.ranges.push_back({name, starts.back(), *time});
        }
        starts.pop_back();
      }
    });
    for (auto& [device, history] : devices_) {
      std::ranges::stable_sort(history.ranges, {}, &AllocatorRange::start);
    }
  }

  // Pairs allocations with their releases, and blocks with allocations.
  void Finish(AllocatorHistory& history) {
    absl::flat_hash_map<uint64_t, uint32_t> live;
    for (uint32_t i = 0; i < history.events.size(); ++i) {
      AllocatorEvent& event = history.events[i];
      if (event.kind == AllocatorEvent::Kind::kAllocate) {
        live[event.address] = i;
      } else if (event.kind == AllocatorEvent::Kind::kFree) {
        const auto found = live.find(event.address);
        if (found == live.end()) continue;
        event.pair = found->second;
        history.events[found->second].pair = i;
        live.erase(found);
      }
    }
    const std::vector<uint64_t>& addresses = addresses_[&history];
    for (size_t b = 0; b < history.blocks.size(); ++b) {
      history.blocks[b].seen =
          history.blocks[b].state != AllocatorBlock::State::kFree &&
          live.contains(addresses[b]);
    }
  }

  const loaders::InputFile& file_;
  PickleValues& values_;
  const SnapshotFolder& folder_;
  profile::GraphTables& graph_;
  ImportLog& log_;
  struct Op {
    bool known = false;
    profile::StringId name = kNone;
  };
  // By stack of the folder.
  std::vector<profile::StackId> stack_ids_;
  std::vector<Op> ops_;
  std::map<int64_t, AllocatorHistory> devices_;
  // The addresses of the blocks of a history.
  std::map<const AllocatorHistory*, std::vector<uint64_t>> addresses_;
  std::map<std::string_view, int64_t> drops_;
  // The last lookup.
  uint32_t last_action_ = SnapshotFolder::kNoText;
  std::optional<AllocatorEvent::Kind> last_kind_;
};

}  // namespace

bool IsSnapshot(std::string_view bytes) {
  if (bytes.size() < 2 || bytes[0] != '\x80' || bytes[1] < 2) return false;
  const std::string_view start = bytes.substr(0, kMaxSniffed);
  const auto has = [&](std::string_view key) {
    return start.find(key) != start.npos;
  };
  return (has("segments") && (has("device_traces") || has("total_size") ||
                              has("allocator_settings"))) ||
         (has("total_size") && has("blocks") && has("segment_type"));
}

absl::StatusOr<profile::Allocators> ReadSnapshot(const loaders::InputFile& file,
                                                 const util::TaskOptions& work,
                                                 profile::GraphTables& graph,
                                                 ImportLog& log,
                                                 ByteNotes* notes) {
  SnapshotFolder folder;
  PickleValues values(file.bytes(), kSnapshotKeys, folder);
  if (notes != nullptr) values.NoteBytes(kSnapshotKeys, *notes);
  const absl::Status read = values.Read(work);
  if (!read.ok()) {
    return absl::Status(read.code(), fmt::format("{}: {}", file.path(),
                                                 std::string(read.message())));
  }
  return Reader(file, values, folder, graph, log).Read();
}

}  // namespace tfprof::memory_snapshot
