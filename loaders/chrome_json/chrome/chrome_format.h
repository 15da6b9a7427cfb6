// The row of chrome traces in the registry of input formats.

#ifndef TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_FORMAT_H_
#define TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::chrome_json {

extern const loaders::Format kChromeFormat;

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_FORMAT_H_
