#include "profile/tables/call_stacks.h"

namespace tfprof::profile {

CallStacks::CallStacks() { entries_.emplace_back(); }

FrameId CallStacks::InternFrame(const Frame& frame) {
  const auto [it, is_new] =
      frame_ids_.try_emplace(frame, static_cast<FrameId>(frames_.size()));
  if (is_new) frames_.push_back(frame);
  return it->second;
}

StackId CallStacks::Push(StackId caller, FrameId frame) {
  const auto [it, is_new] = stack_ids_.try_emplace(
      {caller, frame}, static_cast<StackId>(entries_.size()));
  if (is_new) entries_.push_back({caller, frame});
  return it->second;
}

std::vector<FrameId> CallStacks::Frames(StackId id) const {
  std::vector<FrameId> frames;
  for (; id != kNoStack; id = entries_[id].parent) {
    frames.push_back(entries_[id].frame);
  }
  return {frames.rbegin(), frames.rend()};
}

size_t CallStacks::bytes() const {
  return entries_.capacity() * sizeof(Entry) +
         frames_.capacity() * sizeof(Frame) +
         frame_ids_.capacity() * (sizeof(Frame) + 5) +
         stack_ids_.capacity() * 13;
}

}  // namespace tfprof::profile
