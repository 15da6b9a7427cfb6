// Loads a binary ProfileProto: a whole profile in one file, as TensorFlow's
// ProfileContext or tfprof's `save` writes it.
//
// Node ids of the file are resolved to names; inputs with an unknown id become
// dangling inputs (the reference crashes on them). The statistics of a step
// come from the file. The missing-stream warning is not restored, as in the
// reference. An error means that the file is not a ProfileProto; damage inside
// is in the log. Behaviour: reference spec 2.4.

#ifndef TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_PROFILE_PROTO_H_
#define TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_PROFILE_PROTO_H_

#include <memory>

#include "absl/status/status.h"
#include "loaders/core/load_context.h"

namespace tfprof::tensorflow {

absl::Status LoadProfileProto(
    const std::shared_ptr<const loaders::InputFile>& file,
    loaders::LoadContext& context);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_PROFILE_PROTO_H_
