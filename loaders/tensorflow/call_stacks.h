// Reads the call stacks of one file: CodeDef messages, whose strings are ids
// into a table of the file. OpLogProtos and ProfileProtos have them.
//
//   CallStackReader stacks(builder);
//   stacks.AddString(entry);             // of each entry of id_to_string
//   StackId stack;
//   stacks.ReadCodeDef(bytes, stack);
//
// Logs of TensorFlow before 1.4 carry strings inline instead of ids, and an id
// may be missing from the table: the string is then the inline one, or unknown
// (kNone). The bytes of the file must outlive the reader, and so must the
// builder, which gets the strings and stacks. For one thread.

#ifndef TFPROF_LOADERS_TENSORFLOW_CALL_STACKS_H_
#define TFPROF_LOADERS_TENSORFLOW_CALL_STACKS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "profile/profile_builder.h"

namespace tfprof {

class CallStackReader {
 public:
  explicit CallStackReader(ProfileBuilder& builder) : builder_(builder) {}

  // An entry of a map<int64, string> id table; the first string of an id stays.
  // False: damaged.
  bool AddString(std::string_view entry);

  // A CodeDef, with the ids added so far. False: damaged; `stack` is then what
  // was read before the damage.
  bool ReadCodeDef(std::string_view code_def, StackId& stack);

 private:
  bool ReadTrace(std::string_view bytes, Frame& frame);
  // A string of a trace: by id where the file has a table, else inline.
  StringId TraceString(std::string_view inline_string, int64_t id);

  // A frame of the call stack read last: its bytes, and the stack down to it.
  // The next stack mostly begins the same.
  struct ReadFrame {
    std::string_view bytes;
    StackId stack = kNoStack;
  };

  ProfileBuilder& builder_;
  absl::flat_hash_map<int64_t, StringId> id_to_string_;
  std::vector<ReadFrame> last_stack_;
  // The frames of the file so far, by their bytes.
  absl::flat_hash_map<absl::string_view, FrameId> frame_of_bytes_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_CALL_STACKS_H_
