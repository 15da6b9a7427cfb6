// Loads a binary ProfileProto: a whole profile in one file, as TensorFlow's
// ProfileContext or our own `save` wrote it.
//
// Node ids of the file are resolved to names; inputs with an unknown id become
// dangling inputs (the reference crashes on them). The statistics of a step are
// those that the file gives. Not restored, as in the reference: the
// missing-stream warning. Behaviour: reference spec 2.4.

#ifndef TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_PROFILE_PROTO_H_
#define TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_PROFILE_PROTO_H_

#include <memory>

#include "absl/status/status.h"
#include "loaders/load_context.h"

namespace tfprof {

absl::Status LoadProfileProto(std::shared_ptr<const InputFile> file,
                              LoadContext& context);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_PROFILE_PROTO_H_
