// The row of checkpoints in the registry of input formats.

#ifndef TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_FORMAT_H_
#define TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof {

extern const Format kCheckpointFormat;

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_FORMAT_H_
