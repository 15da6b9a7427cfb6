// Loads a binary OpLogProto: what Python knew of the ops: types, float
// operations, call stacks.
//
// Entries of unknown nodes are ignored; a node's first call stack stays.
// Logs of TensorFlow before 1.4 carry strings inline instead of ids, and an id
// may be missing from the table: the string is then the inline one, or
// unknown (kNone). Behaviour: reference spec 2.3.

#ifndef TFPROF_LOADERS_TENSORFLOW_OP_LOG_OP_LOG_H_
#define TFPROF_LOADERS_TENSORFLOW_OP_LOG_OP_LOG_H_

#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "loaders/load_context.h"

namespace tfprof {

absl::Status LoadOpLog(std::shared_ptr<const InputFile> file,
                       LoadContext& context);

// An entry of a map<int64, string> id table. False: damaged.
bool ReadIdToString(std::string_view entry, LoadContext& context);

// A CodeDef, with the ids of context.id_to_string. False: damaged; `stack` is
// then what was read before the damage.
bool ReadCodeDef(std::string_view code_def, LoadContext& context,
                 StackId& stack);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_OP_LOG_OP_LOG_H_
