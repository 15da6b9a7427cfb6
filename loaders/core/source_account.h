// The account of the bytes of a loaded file, for `status`.

#ifndef TFPROF_LOADERS_CORE_SOURCE_ACCOUNT_H_
#define TFPROF_LOADERS_CORE_SOURCE_ACCOUNT_H_

#include <cstdint>
#include <optional>

#include "loaders/core/byte_account.h"
#include "loaders/core/load.h"
#include "util/run/cancellation.h"

namespace tfprof::loaders {

// Reads the whole file, again if nobody kept it. nullopt: the format has no
// account, the file cannot be read again, or this was cancelled.
std::optional<SourceAccount> AccountOf(const Loaded::Source& source,
                                       const util::Cancellation* cancellation);

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_SOURCE_ACCOUNT_H_
