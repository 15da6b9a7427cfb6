// The row of sessions of traces in the registry of input formats.

#ifndef TFPROF_LOADERS_SESSION_FORMAT_H_
#define TFPROF_LOADERS_SESSION_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof {

// The folder of a session, given by its manifest, or a zip archive of it. Each
// RunMetadata in it is a step.
extern const Format kSessionFormat;

}  // namespace tfprof

#endif  // TFPROF_LOADERS_SESSION_FORMAT_H_
