// Writes what a profile knows beyond graph and run metadata as an OpLogProto:
// types that are neither op nor device, float operations, and call stacks.
//
// There is an entry for each node that has any of these. Written entry by
// entry, so memory does not grow with the graph. Errors of writing are the
// sink's.

#ifndef TFPROF_EXPORTERS_FORMATS_OP_LOG_H_
#define TFPROF_EXPORTERS_FORMATS_OP_LOG_H_

#include "profile/profile.h"
#include "util/sink.h"

namespace tfprof {

// Whether there is anything to write.
bool NeedsOpLog(const Profile& profile);

void WriteOpLog(const Profile& profile, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_FORMATS_OP_LOG_H_
