// The row of XPlane in the registry of input formats.

#ifndef TFPROF_LOADERS_XPLANE_FORMAT_H_
#define TFPROF_LOADERS_XPLANE_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::xplane {

extern const loaders::Format kXPlaneFormat;

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_FORMAT_H_
