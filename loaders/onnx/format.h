// The row of ONNX models in the registry of input formats.

#ifndef TFPROF_LOADERS_ONNX_FORMAT_H_
#define TFPROF_LOADERS_ONNX_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::onnx {

extern const loaders::Format kOnnxFormat;

}  // namespace tfprof::onnx

#endif  // TFPROF_LOADERS_ONNX_FORMAT_H_
