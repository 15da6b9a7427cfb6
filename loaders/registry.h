// The input formats of tfprof: one row for each (loaders/format.h), which is
// defined in the folder of the format.
//
// It is used by Load() (loaders/load.h) for what can be opened, and by the
// command line for the flags that name inputs, in this order:
//
//   for (const Format* format : Formats()) {
//     format->flag, format->value_name, format->help …
//   }
//
// SetInputFlag() (loaders/load_request.h) puts the value of such a flag into a
// LoadRequest.

#ifndef TFPROF_LOADERS_REGISTRY_H_
#define TFPROF_LOADERS_REGISTRY_H_

#include "loaders/format.h"

namespace tfprof {

FormatRegistry Formats();

}  // namespace tfprof

#endif  // TFPROF_LOADERS_REGISTRY_H_
