// The row of logs of torch.compile in the registry of input formats.

#ifndef TFPROF_LOADERS_TORCH_COMPILE_FORMAT_H_
#define TFPROF_LOADERS_TORCH_COMPILE_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::torch_compile {

// Each file is the log of a process. The profile has only compile logs.
extern const loaders::Format kCompileLogFormat;

}  // namespace tfprof::torch_compile

#endif  // TFPROF_LOADERS_TORCH_COMPILE_FORMAT_H_
