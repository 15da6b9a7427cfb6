// The row of ProfileProto in the registry of input formats.

#ifndef TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FORMAT_H_
#define TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::tensorflow {

extern const loaders::Format kProfileProtoFormat;

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FORMAT_H_
