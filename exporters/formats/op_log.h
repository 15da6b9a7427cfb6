// Writes the data of a profile that graph and run metadata lack as an
// OpLogProto: types that are neither op nor device, float operations, and call
// stacks.
//
// There is an entry for each node that has any of these. It is written entry by
// entry, so memory does not grow with the graph. Errors of writing come from
// the sink.

#ifndef TFPROF_EXPORTERS_FORMATS_OP_LOG_H_
#define TFPROF_EXPORTERS_FORMATS_OP_LOG_H_

#include "profile/profile.h"
#include "util/files/sink.h"

namespace tfprof::exporters {

// True if there is something to write.
bool NeedsOpLog(const profile::Profile& profile);

void WriteOpLog(const profile::Profile& profile, util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_OP_LOG_H_
