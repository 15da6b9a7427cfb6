// LoadContext: what the loaders of one profile share.
//
// A loader is a function (file, context) → Status: it adds what it reads to
// the builder and reports what it met to the log. An error means that nothing
// of the file was usable; damage inside it is in the log, and what came
// before (and after, where a record's length was right) is in the builder.

#ifndef TFPROF_LOADERS_LOAD_CONTEXT_H_
#define TFPROF_LOADERS_LOAD_CONTEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "accounting/tfprof_rules.h"
#include "loaders/import_log.h"
#include "loaders/input_file.h"
#include "loaders/same_step.h"
#include "profile/profile_builder.h"
#include "util/progress.h"
#include "util/wire.h"

namespace tfprof {

struct LoadContext {
  // Of the request, or one that nobody looks at.
  Progress no_progress;
  Progress* progress = &no_progress;
  ProfileBuilder builder = ProfileBuilder(TfprofRules());
  ImportLog log;
  SameStep same_step = SameStep::kRenumber;
  // The string table of the op log or profile that is read: the first string of
  // an id stays.
  absl::flat_hash_map<int64_t, StringId> id_to_string;
  // By node; shorter than the nodes.
  std::vector<Coverage> coverage;
  int64_t num_covered = 0;
  // Nodes that some log gave a call stack, if only an empty one.
  std::vector<bool> has_stack;
  // The call stack read last, frame by frame: its bytes, and the stack down to
  // there. The next one mostly begins the same.
  struct ReadFrame {
    std::string_view bytes;
    StackId stack = kNoStack;
  };
  std::vector<ReadFrame> last_stack;
  // The frames of the file so far, by their bytes.
  absl::flat_hash_map<absl::string_view, FrameId> frame_of_bytes;

  // Another file begins, whose ids are its own.
  void ForgetIds() {
    id_to_string.clear();
    last_stack.clear();
    frame_of_bytes.clear();
  }
};

// Logs that `r` met damage in `what`, a message that begins at `message` in
// `file`, and how much of it was lost. `kept`: the fields before the damage
// are in the profile; otherwise the whole message is dropped.
void LogDamage(const InputFile& file, const WireReader& r,
               std::string_view message, std::string_view what, bool kept,
               ImportLog& log);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_LOAD_CONTEXT_H_
