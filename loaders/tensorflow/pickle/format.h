// The row of pickled RunMetadata in the registry of input formats.

#ifndef TFPROF_LOADERS_TENSORFLOW_PICKLE_FORMAT_H_
#define TFPROF_LOADERS_TENSORFLOW_PICKLE_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::tensorflow {

// Traces of tfvis and tftracer: each RunMetadata is a step, in the order of the
// files. A pickle without RunMetadata is an error that lists the names in it.
// Nothing in a pickle is ever called.
extern const loaders::Format kPickleFormat;

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_PICKLE_FORMAT_H_
