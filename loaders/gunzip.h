// Gzip-compressed inputs ("run_meta_100.gz"), known by their first two bytes.
//
// The uncompressed bytes are written to a file that has no name any more, and
// mapped like any other input: they take no memory of ours, whatever their
// size. Several members in one file are one input.

#ifndef TFPROF_LOADERS_GUNZIP_H_
#define TFPROF_LOADERS_GUNZIP_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tfprof {

bool IsGzip(std::string_view bytes);

// An open file descriptor of the uncompressed bytes, which the caller closes.
// `path` is for messages. Of a damaged stream, the bytes before the damage,
// which `damage` describes; DataLoss when there are none. Else what the system
// says when $TMPDIR (or /tmp) cannot hold it.
absl::StatusOr<int> Gunzip(std::string_view bytes, const std::string& path,
                           std::string& damage);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_GUNZIP_H_
