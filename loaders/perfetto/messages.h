// The messages of a Perfetto trace for MessageCheck.
//
// The messages that tfprof reads and those inside of them; packets of other
// kinds (ftrace, heap profiles, …) are not looked into. Source:
// perfetto/trace/trace_packet.proto and what it includes.

#ifndef TFPROF_LOADERS_PERFETTO_MESSAGES_H_
#define TFPROF_LOADERS_PERFETTO_MESSAGES_H_

#include "loaders/core/message_check.h"

namespace tfprof::perfetto {

// Made once.
const loaders::MessageCheck& TraceMessages();

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_MESSAGES_H_
