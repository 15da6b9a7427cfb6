// The row of RunMetadata in the registry of input formats.

#ifndef TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_FORMAT_H_
#define TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::tensorflow {

extern const loaders::Format kRunMetadataFormat;

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_FORMAT_H_
