#include "loaders/memory_snapshot/snapshot_folder.h"

#include <algorithm>

namespace tfprof::memory_snapshot {
namespace {

using loaders::PickleValue;
using Kind = PickleValue::Kind;

uint32_t TextOf(PickleValue value) {
  return value.is(Kind::kText) && value.data() < SnapshotFolder::kNoText
             ? static_cast<uint32_t>(value.data())
             : SnapshotFolder::kNoText;
}

}  // namespace

std::optional<int64_t> SnapshotFolder::FoldFrame(const PickleValue* found) {
  if (!found[kName].is(Kind::kText) || !found[kFilename].is(Kind::kText) ||
      !found[kLine].is(Kind::kNumber)) {
    return std::nullopt;
  }
  const Frame frame{.file = found[kFilename].data(),
                    .function = found[kName].data(),
                    .line = found[kLine].data()};
  const auto [place, is_new] =
      frame_ids_.try_emplace(std::tuple(frame.file, frame.function, frame.line),
                             static_cast<uint32_t>(frames_.size()));
  if (is_new) frames_.push_back(frame);
  return Record(Row::kFrame, place->second);
}

uint32_t SnapshotFolder::StackOf(const loaders::PickleValues& values,
                                 PickleValue frames) const {
  const PickleValue stack = values.Resolve(frames);
  return stack.is(Kind::kRecord) && RowOf(stack) == Row::kStack
             ? static_cast<uint32_t>(IndexOf(stack))
             : 0;
}

uint32_t SnapshotFolder::Around(uint32_t inner, uint32_t frame) {
  const uint32_t guess = stacks_[inner].last_outer;
  if (guess != 0 && stacks_[guess].frame == frame) return guess;
  const auto [place, is_new] = stack_ids_.try_emplace(
      std::pair(inner, frame), static_cast<uint32_t>(stacks_.size()));
  if (is_new) stacks_.push_back({.inner = inner, .frame = frame});
  return stacks_[inner].last_outer = place->second;
}

std::optional<int64_t> SnapshotFolder::FoldDict(
    loaders::PickleValues& values, std::span<const PickleValue> items) {
  // Rows have at most 20 keys.
  constexpr size_t kMaxItems = 64;
  if (items.size() > kMaxItems) return std::nullopt;
  PickleValue found[kNumSnapshotKeys];
  bool has[kNumSnapshotKeys] = {};
  for (size_t i = 0; i < items.size(); i += 2) {
    if (!items[i].is(Kind::kText) || items[i].data() >= kNumSnapshotKeys) {
      continue;
    }
    found[items[i].data()] = items[i + 1];
    has[items[i].data()] = true;
  }
  if (has[kAction]) {
    if (!has[kAddr] && has[kStream]) {
      failure_streams_[events_.size()] = found[kStream];
    }
    events_.push_back(
        {.size = found[kSize],
         .time = found[kTimeUs],
         // An event "oom" has no address.
         .address = has[kAddr] ? found[kAddr] : found[kDeviceFree],
         .action = TextOf(found[kAction]),
         .stack = StackOf(values, found[kFrames])});
    return Record(Row::kEvent, events_.size() - 1);
  }
  if (has[kBlocks] && has[kTotalSize]) {
    segments_.push_back({.address = found[kAddress],
                         .size = found[kTotalSize],
                         .device = found[kDevice],
                         .stream = found[kStream],
                         .type = found[kSegmentType],
                         .pool = found[kSegmentPoolId],
                         .expandable = found[kIsExpandable],
                         .blocks = found[kBlocks]});
    return Record(Row::kSegment, segments_.size() - 1);
  }
  if (has[kState] && has[kSize]) {
    blocks_.push_back({.state = found[kState],
                       .size = found[kSize],
                       .requested = found[kRequestedSize],
                       .address = found[kAddress],
                       .history = found[kHistory],
                       .stack = StackOf(values, found[kFrames])});
    return Record(Row::kBlock, blocks_.size() - 1);
  }
  if (has[kRealSize]) {
    past_.push_back(
        {.size = found[kRealSize], .stack = StackOf(values, found[kFrames])});
    return Record(Row::kPast, past_.size() - 1);
  }
  if (has[kName] && has[kFilename] && has[kLine]) return FoldFrame(found);
  if (has[kName] && has[kStage]) {
    annotations_.push_back({.stage = found[kStage],
                            .name = found[kName],
                            .device = found[kDevice],
                            .time = found[kTimeUs]});
    return Record(Row::kAnnotation, annotations_.size() - 1);
  }
  return std::nullopt;
}

std::optional<int64_t> SnapshotFolder::FoldList(
    loaders::PickleValues& values, std::optional<int64_t> before,
    std::span<const PickleValue> items) {
  // A damaged pickle appends to a dictionary that became another row.
  if (before &&
      RowOf(PickleValue(PickleValue::Kind::kRecord, *before)) != Row::kStack) {
    return std::nullopt;
  }
  uint32_t stack = before ? static_cast<uint32_t>(*before >> 3) : 0;
  for (const PickleValue item : items) {
    const PickleValue frame = values.Resolve(item);
    if (!frame.is(Kind::kRecord) || RowOf(frame) != Row::kFrame) {
      return std::nullopt;
    }
    stack = Around(stack, static_cast<uint32_t>(IndexOf(frame)));
  }
  return Record(Row::kStack, stack);
}

}  // namespace tfprof::memory_snapshot
