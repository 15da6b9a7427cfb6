// The frames of a profile's call stacks in the wire format of CodeDef, which op
// logs and ProfileProtos share.
//
// Nodes of a model share most of their about 20 frames with their neighbours,
// and frames are most of such a file, so each frame is encoded once and copied.
// Trace strings get new ids, in the order of the nodes; 0 is "none" as in
// Python's logs, and an unknown string becomes "<unknown>", because the
// reference crashes on an id that is not in the table. Holds the encoded
// frames, about 20 bytes each. The profile must outlive it. Any number of
// threads may read it.

#ifndef TFPROF_EXPORTERS_FORMATS_ENCODED_FRAMES_H_
#define TFPROF_EXPORTERS_FORMATS_ENCODED_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/profile.h"
#include "util/files/wire_writer.h"

namespace tfprof::exporters {

class EncodedFrames {
 public:
  explicit EncodedFrames(const profile::Profile& profile);

  // The `traces` field (CodeDef) of a frame, which some node must use.
  std::string_view Field(profile::FrameId frame) const {
    return encoded_.bytes().substr(begin_[frame], end_[frame] - begin_[frame]);
  }
  // The strings, by id.
  std::span<const std::string_view> strings() const { return strings_; }

 private:
  void Encode(profile::FrameId id);
  int64_t StringIdOf(profile::StringId string);

  const profile::Profile& profile_;
  util::WireWriter encoded_;
  std::vector<size_t> begin_, end_;  // by frame
  std::vector<std::string_view> strings_;
  absl::flat_hash_map<profile::StringId, int64_t> ids_;
};

// Encodes one CodeDef after another. Keeps the bytes of the last stack, because
// the next one usually begins with the same frames. Each thread needs its own
// encoder.
class StackEncoder {
 public:
  StackEncoder(const profile::Profile& profile, const EncodedFrames& frames)
      : stacks_(profile.graph().stacks), frames_(frames) {}

  // The CodeDef of a non-empty stack; valid until the next call.
  std::string_view CodeDef(profile::StackId stack);

 private:
  // `end` is the end of the encoded frames up to this entry.
  struct PathEntry {
    profile::StackId stack;
    size_t end;
  };

  const profile::CallStacks& stacks_;
  const EncodedFrames& frames_;
  std::vector<profile::StackId> path_;  // innermost first
  std::vector<PathEntry> last_path_;    // outermost first
  util::WireWriter encoded_;            // of last_path_
};

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_ENCODED_FRAMES_H_
