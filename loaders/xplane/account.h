// The account of the bytes of an .xplane.pb file.
//
// The tables of messages.h tell which fields are read. Lines that the recorder
// derived from others are of no use, and the programs in the file are messages
// of their own.

#ifndef TFPROF_LOADERS_XPLANE_ACCOUNT_H_
#define TFPROF_LOADERS_XPLANE_ACCOUNT_H_

#include "loaders/core/byte_account.h"
#include "loaders/core/input_file.h"
#include "util/run/cancellation.h"

namespace tfprof::xplane {

loaders::ByteAccount AccountXPlane(const loaders::InputFile& file,
                                   const util::Cancellation* cancellation);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_ACCOUNT_H_
