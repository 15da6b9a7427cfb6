// The input formats of tfprof: one row (loaders/core/format.h) for each format,
// defined in the folder of the format. The rows are never destroyed.
//
// Load() (loaders/core/load.h) uses the registry to recognise inputs. The
// command line uses it for the flags that name inputs, in this order:
//
//   for (const Format* format : Formats()) {
//     format->flag, format->value_name, format->help …
//   }
//
// SetInputFlag() (loaders/core/load_request.h) puts the value of such a flag
// into a LoadRequest.

#ifndef TFPROF_LOADERS_CORE_REGISTRY_H_
#define TFPROF_LOADERS_CORE_REGISTRY_H_

#include "loaders/core/format.h"

namespace tfprof::loaders {

FormatRegistry Formats();

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_REGISTRY_H_
