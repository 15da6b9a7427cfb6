// Writes the counters of kernels into a profile that is being saved
// (loaders/core/saved_counters.h).

#ifndef TFPROF_EXPORTERS_FORMATS_SAVED_COUNTERS_H_
#define TFPROF_EXPORTERS_FORMATS_SAVED_COUNTERS_H_

#include <cstdint>

#include "profile/profile.h"
#include "util/files/wire_writer.h"

namespace tfprof::exporters {

// How the file identifies lanes.
enum class SavedLanes : uint8_t { kNumbers, kDevices };

// Writes them as a field of the current message; writes nothing if there are
// none.
void WriteSavedCounters(const profile::Profile& profile, SavedLanes lanes,
                        uint32_t field, util::WireWriter& w);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_SAVED_COUNTERS_H_
