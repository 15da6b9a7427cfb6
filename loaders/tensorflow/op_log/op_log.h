// Loads a binary OpLogProto: what Python knew of the ops: types, float
// operations, call stacks.
//
// Entries of unknown nodes are ignored; a node's first call stack stays, also
// over several logs of one load. Behaviour: reference spec 2.3.

#ifndef TFPROF_LOADERS_TENSORFLOW_OP_LOG_OP_LOG_H_
#define TFPROF_LOADERS_TENSORFLOW_OP_LOG_OP_LOG_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "loaders/input_file.h"
#include "loaders/load_context.h"
#include "loaders/tensorflow/call_stacks.h"

namespace tfprof {

// The op logs of one load, one after the other.
class OpLogLoader {
 public:
  // The context must outlive the loader.
  explicit OpLogLoader(LoadContext& context) : context_(context) {}

  absl::Status Load(const InputFile& file);

 private:
  // False: damaged.
  bool ReadEntry(std::string_view bytes, CallStackReader& stacks);

  LoadContext& context_;
  // Nodes that some log gave a call stack, if only an empty one; may be shorter
  // than the nodes.
  std::vector<bool> has_stack_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_OP_LOG_OP_LOG_H_
