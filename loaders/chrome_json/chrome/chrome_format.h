// The row of chrome traces in the registry of input formats.

#ifndef TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_FORMAT_H_
#define TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof {

extern const Format kChromeFormat;

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_FORMAT_H_
