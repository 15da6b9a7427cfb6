// The messages of an .xplane.pb file, and of the programs in it, for
// MessageCheck. Sources: xplane.proto, hlo.proto and xla_data.proto of OpenXLA.
//
// All messages and packed numbers are there, so that damage is found in the
// parts, too, that no report uses. Left out is what was another type in an
// earlier version. Types without messages or packed numbers are one: Plain.

#ifndef TFPROF_LOADERS_XPLANE_MESSAGES_H_
#define TFPROF_LOADERS_XPLANE_MESSAGES_H_

#include "loaders/core/message_check.h"

namespace tfprof::xplane {

// Both are made once.
const loaders::MessageCheck& XSpaceMessages();
const loaders::MessageCheck& HloMessages();

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_MESSAGES_H_
