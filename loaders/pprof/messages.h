// The messages of a pprof profile for MessageCheck. Source: profile.proto of
// pprof.
//
// All messages and packed numbers are there, so that damage is found in the
// parts, too, that no report uses. Plain has neither.

#ifndef TFPROF_LOADERS_PPROF_MESSAGES_H_
#define TFPROF_LOADERS_PPROF_MESSAGES_H_

#include "loaders/core/message_check.h"

namespace tfprof::pprof {

// Made once.
const loaders::MessageCheck& ProfileMessages();

}  // namespace tfprof::pprof

#endif  // TFPROF_LOADERS_PPROF_MESSAGES_H_
