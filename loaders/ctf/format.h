// The row of CTF traces in the registry of input formats.

#ifndef TFPROF_LOADERS_CTF_FORMAT_H_
#define TFPROF_LOADERS_CTF_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::ctf {

extern const loaders::Format kCtfFormat;

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_FORMAT_H_
