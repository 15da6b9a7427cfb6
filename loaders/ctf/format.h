// The row of CTF traces in the registry of input formats.

#ifndef TFPROF_LOADERS_CTF_FORMAT_H_
#define TFPROF_LOADERS_CTF_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof {

extern const Format kCtfFormat;

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CTF_FORMAT_H_
