// The row of dumps of the flight recorder in the registry of input formats.

#ifndef TFPROF_LOADERS_FLIGHT_RECORDER_FORMAT_H_
#define TFPROF_LOADERS_FLIGHT_RECORDER_FORMAT_H_

#include "loaders/core/format.h"

namespace tfprof::flight_recorder {

// Each file is the dump of a rank. The profile has only collective records.
extern const loaders::Format kFlightRecorderFormat;

}  // namespace tfprof::flight_recorder

#endif  // TFPROF_LOADERS_FLIGHT_RECORDER_FORMAT_H_
