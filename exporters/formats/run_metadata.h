// Writes one step of a profile as a RunMetadata.
//
// An execution that came from a RunMetadata is copied unchanged, with label,
// thread and nanoseconds. Any other is built from the data of the profile:
// node, device, start, duration, and the memory that its own device recorded.
// Executions outside of groups (step.h) are written as well. Loading the file
// after the GraphDef of the same profile gives the same step.
//
// Devices are in the order of the profile. A device is written a second time at
// the end for executions of nodes whose canonical device comes later, because a
// reader takes the first canonical device of a node in a file.
//
// A first pass computes the lengths of the nested messages, so that memory is
// 12 bytes per execution, whatever they contain. Units: microseconds, bytes.
// Errors of writing come from the sink.

#ifndef TFPROF_EXPORTERS_FORMATS_RUN_METADATA_H_
#define TFPROF_EXPORTERS_FORMATS_RUN_METADATA_H_

#include <cstdint>

#include "profile/profile.h"
#include "util/files/sink.h"

namespace tfprof::exporters {

// Data that the file cannot hold.
struct RunMetadataLosses {
  // Executions built from the profile.
  int64_t rebuilt = 0;
  // Nodes of the step without any execution.
  int64_t no_device = 0;
  // Executions that count in the profile, but not after the file is loaded.
  int64_t other_devices = 0;
  // Nodes whose sums differ from the sums of their executions.
  int64_t unmatched_sums = 0;

  RunMetadataLosses& operator+=(const RunMetadataLosses& other) {
    rebuilt += other.rebuilt;
    no_device += other.no_device;
    other_devices += other.other_devices;
    unmatched_sums += other.unmatched_sums;
    return *this;
  }
};

RunMetadataLosses WriteRunMetadata(const profile::Profile& profile,
                                   const profile::Step& step, util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_RUN_METADATA_H_
