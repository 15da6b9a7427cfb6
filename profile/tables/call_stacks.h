// CallStacks: the Python call stacks of nodes as one shared tree.
//
// A stack is the id of its innermost frame in the tree. The root, id 0, is the
// empty stack. Nodes of one layer share all but a few frames: the op log of a
// graph with 100,000 nodes repeats 20 frames per node, but the tree has only
// some thousand entries.

#ifndef TFPROF_PROFILE_TABLES_CALL_STACKS_H_
#define TFPROF_PROFILE_TABLES_CALL_STACKS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {

using FrameId = uint32_t;
using StackId = uint32_t;
inline constexpr StackId kNoStack = 0;

// One line of Python code. Strings are ids in the profile's pool, or kNone if
// the log refers to a missing string.
struct Frame {
  StringId file = kNone;      // full path
  StringId function = kNone;  // name
  StringId line = kNone;      // source text
  int32_t lineno = -1;        // -1: unknown
  int32_t func_start_line = -1;

  template <typename H>
  friend H AbslHashValue(H h, const Frame& f) {
    return H::combine(std::move(h), f.file, f.function, f.line, f.lineno,
                      f.func_start_line);
  }
  friend bool operator==(const Frame&, const Frame&) = default;
};

class CallStacks {
 public:
  struct Entry {
    StackId parent = kNoStack;  // the caller
    FrameId frame = kNone;
  };

  CallStacks();

  // Returns the id of the frame; equal frames have the same id.
  FrameId InternFrame(const Frame& frame);

  // Returns the stack that adds `frame` inside `caller`.
  StackId Push(StackId caller, FrameId frame);
  StackId Push(StackId caller, const Frame& frame) {
    return Push(caller, InternFrame(frame));
  }

  const Entry& operator[](StackId id) const { return entries_[id]; }
  const Frame& frame(FrameId id) const { return frames_[id]; }
  size_t size() const { return entries_.size(); }
  size_t num_frames() const { return frames_.size(); }

  // Returns the frames of stack `id`, outermost first.
  std::vector<FrameId> Frames(StackId id) const;

  size_t bytes() const;

 private:
  std::vector<Frame> frames_;
  std::vector<Entry> entries_;
  absl::flat_hash_map<Frame, FrameId> frame_ids_;
  absl::flat_hash_map<std::pair<StackId, FrameId>, StackId> stack_ids_;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_CALL_STACKS_H_
