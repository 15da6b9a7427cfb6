// Gzip: the container that pprof expects for its profiles.
//
// The output is one member with zlib's default level and strategy, and without
// a name or a time in its header: equal input gives equal output. It is written
// piece by piece. Errors: ResourceExhausted if there is not enough memory. The
// sink reports errors of writing.

#ifndef TFPROF_UTIL_GZIP_H_
#define TFPROF_UTIL_GZIP_H_

#include <string_view>

#include "absl/status/status.h"
#include "util/sink.h"

namespace tfprof {

absl::Status GzipCompress(std::string_view bytes, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_UTIL_GZIP_H_
