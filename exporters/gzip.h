// Gzip: the container in which pprof wants its profiles.
//
// One member, zlib's default level and strategy, no name and no time in the
// header: the same bytes in, the same bytes out. Errors: ResourceExhausted
// when there is no memory for it.

#ifndef TFPROF_EXPORTERS_GZIP_H_
#define TFPROF_EXPORTERS_GZIP_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tfprof {

absl::StatusOr<std::string> GzipCompress(std::string_view bytes);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_GZIP_H_
