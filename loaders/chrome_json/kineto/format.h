// The row of Kineto in the registry of input formats.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_FORMAT_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::kineto {

extern const loaders::Format kKinetoFormat;

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_FORMAT_H_
