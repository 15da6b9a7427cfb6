// The row of GraphDef in the registry of input formats.

#ifndef TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_FORMAT_H_
#define TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::tensorflow {

extern const loaders::Format kGraphDefFormat;

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_FORMAT_H_
