// The row of XPlane in the registry of input formats.

#ifndef TFPROF_LOADERS_XPLANE_FORMAT_H_
#define TFPROF_LOADERS_XPLANE_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof {

extern const Format kXPlaneFormat;

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_FORMAT_H_
