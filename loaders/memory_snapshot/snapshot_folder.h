// SnapshotFolder: turns the dictionaries of a memory snapshot into rows while
// its pickle is read, so that millions of them take little memory.
//
// Frames are interned. A stack is its frames from the innermost to the
// outermost, in a shared tree. Rows keep what the file has; snapshot.cc checks
// them.

#ifndef TFPROF_LOADERS_MEMORY_SNAPSHOT_SNAPSHOT_FOLDER_H_
#define TFPROF_LOADERS_MEMORY_SNAPSHOT_SNAPSHOT_FOLDER_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/core/pickle_values.h"

namespace tfprof::memory_snapshot {

// Keys with a known text index. The order is that of kSnapshotKeys.
enum SnapshotKey : int64_t {
  kAction,
  kAddr,
  kSize,
  kTimeUs,
  kDeviceFree,
  kFrames,
  kName,
  kFilename,
  kLine,
  kState,
  kAddress,
  kRequestedSize,
  kHistory,
  kRealSize,
  kTotalSize,
  kDevice,
  kStream,
  kSegmentType,
  kSegmentPoolId,
  kIsExpandable,
  kBlocks,
  kSegments,
  kDeviceTraces,
  kExternalAnnotations,
  kStage,
  kNumSnapshotKeys,
};
inline constexpr std::string_view kSnapshotKeys[kNumSnapshotKeys] = {
    "action",
    "addr",
    "size",
    "time_us",
    "device_free",
    "frames",
    "name",
    "filename",
    "line",
    "state",
    "address",
    "requested_size",
    "history",
    "real_size",
    "total_size",
    "device",
    "stream",
    "segment_type",
    "segment_pool_id",
    "is_expandable",
    "blocks",
    "segments",
    "device_traces",
    "external_annotations",
    "stage"};

class SnapshotFolder : public loaders::PickleFolder {
 public:
  using Value = loaders::PickleValue;

  // The kind of a record, and its index.
  enum class Row : int64_t {
    kFrame,
    kStack,
    kEvent,
    kBlock,
    kSegment,
    kPast,
    kAnnotation
  };
  static Row RowOf(Value record) { return static_cast<Row>(record.data() & 7); }
  static size_t IndexOf(Value record) {
    return static_cast<size_t>(record.data() >> 3);
  }

  struct Frame {
    int64_t file = 0;  // text indexes
    int64_t function = 0;
    int64_t line = 0;
  };
  struct StackEntry {
    uint32_t inner = 0;  // the stack of the frames inside; 0: none
    uint32_t frame = 0;
    // The stack that was last found with one frame more; 0: none. Most lists
    // have the frames of an earlier one.
    uint32_t last_outer = 0;
  };
  struct Event {
    Value size, time, address;
    uint32_t action = kNoText;  // a text index
    uint32_t stack = 0;
  };
  static constexpr uint32_t kNoText = UINT32_MAX;
  struct Block {
    Value state, size, requested, address, history;
    uint32_t stack = 0;
  };
  struct Segment {
    Value address, size, device, stream, type, pool, expandable, blocks;
  };
  // A former allocation in a block of PyTorch 1.13.
  struct Past {
    Value size;
    uint32_t stack = 0;
  };
  // The start or the end of a range that the program named.
  struct Annotation {
    Value stage, name, device, time;
  };

  std::optional<int64_t> FoldDict(loaders::PickleValues& values,
                                  std::span<const Value> items) override;
  std::optional<int64_t> FoldList(loaders::PickleValues& values,
                                  std::optional<int64_t> before,
                                  std::span<const Value> items) override;

  const std::vector<Frame>& frames() const { return frames_; }
  // Entry 0 is the empty stack.
  const std::vector<StackEntry>& stacks() const { return stacks_; }
  const std::deque<Event>& events() const { return events_; }
  // The stream of an event without an address, by its index: that of a request
  // that failed.
  Value StreamOf(size_t event) const {
    const auto found = failure_streams_.find(event);
    return found == failure_streams_.end() ? Value() : found->second;
  }
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Segment>& segments() const { return segments_; }
  const std::vector<Past>& past() const { return past_; }
  const std::vector<Annotation>& annotations() const { return annotations_; }

 private:
  static int64_t Record(Row row, size_t index) {
    return static_cast<int64_t>(index) * 8 + static_cast<int64_t>(row);
  }
  std::optional<int64_t> FoldFrame(const Value* found);
  uint32_t StackOf(const loaders::PickleValues& values, Value frames) const;
  // Returns the stack `inner` with one more frame around it.
  uint32_t Around(uint32_t inner, uint32_t frame);

  std::vector<Frame> frames_;
  std::vector<StackEntry> stacks_ = {{}};
  // Most of the rows are events: growing must not copy them.
  std::deque<Event> events_;
  absl::flat_hash_map<size_t, Value> failure_streams_;
  std::vector<Block> blocks_;
  std::vector<Segment> segments_;
  std::vector<Past> past_;
  std::vector<Annotation> annotations_;
  // By file, function and line; by the stack inside and the frame.
  absl::flat_hash_map<std::tuple<int64_t, int64_t, int64_t>, uint32_t>
      frame_ids_;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> stack_ids_;
};

}  // namespace tfprof::memory_snapshot

#endif  // TFPROF_LOADERS_MEMORY_SNAPSHOT_SNAPSHOT_FOLDER_H_
