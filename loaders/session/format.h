// The row of sessions of traces in the registry of input formats.

#ifndef TFPROF_LOADERS_SESSION_FORMAT_H_
#define TFPROF_LOADERS_SESSION_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::session {

// The folder of a session, given by its manifest, or a zip archive of it. Each
// RunMetadata in it is a step.
extern const loaders::Format kSessionFormat;

}  // namespace tfprof::session

#endif  // TFPROF_LOADERS_SESSION_FORMAT_H_
