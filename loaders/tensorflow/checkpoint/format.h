// The row of checkpoints in the registry of input formats.

#ifndef TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_FORMAT_H_
#define TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::tensorflow {

extern const loaders::Format kCheckpointFormat;

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_FORMAT_H_
