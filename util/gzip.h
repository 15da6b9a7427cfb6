// Gzip: the container in which pprof wants its profiles.
//
// One member, zlib's default level and strategy, no name and no time in the
// header: the same bytes in, the same bytes out. Written as it is made. Errors:
// ResourceExhausted when there is no memory for it; those of writing are the
// sink's.

#ifndef TFPROF_UTIL_GZIP_H_
#define TFPROF_UTIL_GZIP_H_

#include <string_view>

#include "absl/status/status.h"
#include "util/sink.h"

namespace tfprof {

absl::Status GzipCompress(std::string_view bytes, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_UTIL_GZIP_H_
