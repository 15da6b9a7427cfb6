// Writes one step of a profile as a RunMetadata.
//
// An execution that came from a RunMetadata is copied as it was: label, thread,
// nanoseconds and all. Any other is made from what the profile has: node,
// device, start, duration, and the memory that its own device recorded.
// Executions outside of groups (step.h) are written as well.
// Loading the file after the GraphDef of the same profile gives the same step.
//
// Devices stand in the order of the profile; a device stands a second time at
// the end for executions of nodes that are at home on a later one, because the
// first canonical device of a node in a file is the one that counts.
//
// The lengths of the nested messages are computed in a pass of their own, so
// that memory is 12 bytes per execution whatever they hold. Units:
// microseconds, bytes. Errors of writing are the sink's.

#ifndef TFPROF_EXPORTERS_FORMATS_RUN_METADATA_H_
#define TFPROF_EXPORTERS_FORMATS_RUN_METADATA_H_

#include <cstdint>

#include "profile/profile.h"
#include "util/sink.h"

namespace tfprof {

// What the file could not say.
struct RunMetadataLosses {
  int64_t rebuilt = 0;         // executions made from the profile
  int64_t no_device = 0;       // nodes of the step without any execution
  int64_t other_devices = 0;   // executions that count, but will not
  int64_t unmatched_sums = 0;  // nodes whose executions do not add up to them

  RunMetadataLosses& operator+=(const RunMetadataLosses& other) {
    rebuilt += other.rebuilt;
    no_device += other.no_device;
    other_devices += other.other_devices;
    unmatched_sums += other.unmatched_sums;
    return *this;
  }
};

RunMetadataLosses WriteRunMetadata(const Profile& profile, const Step& step,
                                   Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_FORMATS_RUN_METADATA_H_
