// The row of ONNX Runtime's profiles in the registry of input formats.

#ifndef TFPROF_LOADERS_CHROME_JSON_ORT_ORT_FORMAT_H_
#define TFPROF_LOADERS_CHROME_JSON_ORT_ORT_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::chrome_json {

extern const loaders::Format kOrtFormat;

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_ORT_ORT_FORMAT_H_
