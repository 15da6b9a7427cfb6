// Reads the call stacks of one file: CodeDef messages, whose strings are ids in
// a table of the file. OpLogProtos and ProfileProtos have them.
//
//   CallStackReader stacks(builder);
//   stacks.AddString(entry);             // for each entry of id_to_string
//   StackId stack;
//   stacks.ReadCodeDef(bytes, stack);
//
// Logs of TensorFlow before 1.4 have inline strings instead of ids. If an id is
// missing from the table, the string is the inline one, or unknown (kNone). The
// builder gets the strings and stacks. The bytes of the file and the builder
// must outlive the reader. Each CodeDef is parsed once, and only the part that
// differs from the CodeDef before. Use one thread.

#ifndef TFPROF_LOADERS_TENSORFLOW_CALL_STACKS_H_
#define TFPROF_LOADERS_TENSORFLOW_CALL_STACKS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/tensorflow/followers.h"
#include "profile/profile_builder.h"
#include "profile/tables/local_names.h"

namespace tfprof::tensorflow {

class CallStackReader {
 public:
  explicit CallStackReader(profile::ProfileBuilder& builder)
      : builder_(builder) {}
  CallStackReader(const CallStackReader&) = delete;
  CallStackReader& operator=(const CallStackReader&) = delete;

  // Adds an entry of the map<int64, string> id table; the first string of an id
  // wins. Returns false if it is damaged.
  bool AddString(std::string_view entry);

  // Numbers CodeDefs by their bytes. The strings may still be missing.
  uint32_t Number(std::string_view code_def);

  // Reads the CodeDef of a number; all strings must be known. Returns false if
  // it is damaged; `stack` is then the stack before the damage.
  bool Read(uint32_t number, profile::StackId& stack);
  bool ReadCodeDef(std::string_view code_def, profile::StackId& stack) {
    return Read(Number(code_def), stack);
  }

  // The number of traces that were parsed: traces of new CodeDefs that are not
  // in the common prefix with the CodeDef before.
  size_t num_parsed_traces() const { return num_parsed_traces_; }

 private:
  // The stack that a CodeDef was read to.
  struct Result {
    profile::StackId stack = profile::kNoStack;
    bool parsed = false;
    bool good = true;
  };
  struct KnownFrame {
    profile::FrameId id = profile::kNone;
    bool good = true;
  };
  // A trace of the last parsed CodeDef: where it ends in the CodeDef, and the
  // stack up to it.
  struct ParsedFrame {
    size_t end = 0;
    profile::StackId stack = profile::kNoStack;
  };

  Result ParseCodeDef(std::string_view code_def);
  KnownFrame ParseFrame(std::string_view bytes);
  // Returns a string of a trace: by id if the file has a table, else inline.
  profile::StringId FrameString(std::string_view inline_string, int64_t id);

  profile::ProfileBuilder& builder_;
  absl::flat_hash_map<int64_t, profile::StringId> id_to_string_;
  // The CodeDefs of the file so far, by their bytes. Operations that one line
  // of Python makes have the same CodeDef, and so have the towers of a model.
  std::vector<profile::HashedName> code_defs_;
  profile::LocalNames code_def_numbers_{code_defs_};
  Followers code_def_followers_;
  std::vector<Result> results_;  // by number
  // The last parsed CodeDef, and its traces before the first damaged one. The
  // next CodeDef usually begins in the same way: of the 20 frames of an
  // operation, 18 are also frames of its neighbour.
  std::string_view parsed_;
  std::vector<ParsedFrame> parsed_traces_;
  size_t num_parsed_traces_ = 0;
  // The traces of the file so far, by their bytes.
  std::vector<profile::HashedName> traces_;
  profile::LocalNames trace_numbers_{traces_};
  std::vector<KnownFrame> frames_;  // by number
};

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_CALL_STACKS_H_
