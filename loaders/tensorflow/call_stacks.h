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
// builder, which gets the strings and stacks. A CodeDef is parsed once, and of
// one that is new only what differs from the one before. For one thread.

#ifndef TFPROF_LOADERS_TENSORFLOW_CALL_STACKS_H_
#define TFPROF_LOADERS_TENSORFLOW_CALL_STACKS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/tensorflow/followers.h"
#include "profile/local_names.h"
#include "profile/profile_builder.h"

namespace tfprof {

class CallStackReader {
 public:
  explicit CallStackReader(ProfileBuilder& builder) : builder_(builder) {}
  CallStackReader(const CallStackReader&) = delete;
  CallStackReader& operator=(const CallStackReader&) = delete;

  // An entry of a map<int64, string> id table; the first string of an id stays.
  // False: damaged.
  bool AddString(std::string_view entry);

  // Numbers CodeDefs by their bytes. The strings need not be there yet.
  uint32_t Number(std::string_view code_def);

  // The CodeDef of a number; all strings must be there. False: damaged; `stack`
  // is then what was read before the damage.
  bool Read(uint32_t number, StackId& stack);
  bool ReadCodeDef(std::string_view code_def, StackId& stack) {
    return Read(Number(code_def), stack);
  }

  // How many traces were looked at one by one: those of new CodeDefs that the
  // CodeDef before did not begin with.
  size_t num_parsed_traces() const { return num_parsed_traces_; }

 private:
  // What a CodeDef was read to.
  struct Result {
    StackId stack = kNoStack;
    bool parsed = false;
    bool good = true;
  };
  struct KnownFrame {
    FrameId id = kNone;
    bool good = true;
  };
  // A trace of the CodeDef that was parsed last: where it ends in the CodeDef,
  // and the stack down to it.
  struct ParsedTrace {
    size_t end = 0;
    StackId stack = kNoStack;
  };

  Result ParseCodeDef(std::string_view code_def);
  KnownFrame ParseTrace(std::string_view bytes);
  // A string of a trace: by id where the file has a table, else inline.
  StringId TraceString(std::string_view inline_string, int64_t id);

  ProfileBuilder& builder_;
  absl::flat_hash_map<int64_t, StringId> id_to_string_;
  // The CodeDefs of the file so far, by their bytes. The operations that one
  // line of Python makes have the same, and so have the towers of a model.
  std::vector<HashedName> code_defs_;
  LocalNames code_def_numbers_{code_defs_};
  Followers code_def_followers_;
  std::vector<Result> results_;  // by number
  // The CodeDef that was parsed last, and its traces before the first damaged
  // one. The next one mostly begins the same: of the 20 frames of an operation,
  // 18 are those of its neighbour.
  std::string_view parsed_;
  std::vector<ParsedTrace> parsed_traces_;
  size_t num_parsed_traces_ = 0;
  // The traces of the file so far, by their bytes.
  std::vector<HashedName> traces_;
  LocalNames trace_numbers_{traces_};
  std::vector<KnownFrame> frames_;  // by number
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_CALL_STACKS_H_
