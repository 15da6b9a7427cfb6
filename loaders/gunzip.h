// Gzip-compressed inputs ("run_meta_100.gz"), known by their first two bytes.
//
// The uncompressed bytes are written to a file that has no name any more, and
// mapped like any other input: they take no memory of ours, whatever their
// size. Several members in one file are one input.

#ifndef TFPROF_LOADERS_GUNZIP_H_
#define TFPROF_LOADERS_GUNZIP_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tfprof {

bool IsGzip(std::string_view bytes);

// Told how many bytes an input has so far, of about how many; 0: not known.
using ReadProgress = std::function<void(int64_t done, int64_t total)>;

// An open file descriptor of the uncompressed bytes, which the caller closes.
// `path` is for messages. Of a damaged stream, the bytes before the damage,
// which `damage` describes; DataLoss when there are none. Else what the system
// says when $TMPDIR (or /tmp) cannot hold it.
absl::StatusOr<int> Gunzip(std::string_view bytes, const std::string& path,
                           const ReadProgress& progress, std::string& damage);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_GUNZIP_H_
