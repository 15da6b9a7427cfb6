// The row of OpLogProto in the registry of input formats.

#ifndef TFPROF_LOADERS_TENSORFLOW_OP_LOG_FORMAT_H_
#define TFPROF_LOADERS_TENSORFLOW_OP_LOG_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::tensorflow {

extern const loaders::Format kOpLogFormat;

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_OP_LOG_FORMAT_H_
