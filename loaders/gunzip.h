// Gzip-compressed inputs ("run_meta_100.gz"), known by their first two bytes.
//
// The uncompressed bytes are written to a file without a name and mapped like
// any other input. So they take no memory of this program, for any size.
// Several members in one file are one input.
//
// What is unpacked is bounded, because 1 MB can unpack to 1 GB of nothing, and
// more in several layers: a file may have kMaxRatio times its size, and
// kMinUnpacked in any case. Profiles and traces unpack to 5 to 40 times.

#ifndef TFPROF_LOADERS_GUNZIP_H_
#define TFPROF_LOADERS_GUNZIP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "util/cancellation.h"

namespace tfprof {

bool IsGzip(std::string_view bytes);

inline constexpr size_t kMaxRatio = 200;
inline constexpr size_t kMinUnpacked = size_t{256} << 20;

// Is called with the number of bytes read so far, and an estimate of all; 0:
// not known.
using ReadProgress = std::function<void(int64_t done, int64_t total)>;

// An open file descriptor of the uncompressed bytes, which the caller closes.
// `path` is for messages. If the stream is damaged, these are the bytes before
// the damage, and `damage` describes it. Errors: DataLoss when there is no byte
// before the damage; ResourceExhausted beyond the limit; the error of the
// system when $TMPDIR (or /tmp) cannot hold
// the bytes; Cancelled.
absl::StatusOr<int> Gunzip(std::string_view bytes, const std::string& path,
                           const ReadProgress& progress,
                           const Cancellation* cancellation,
                           std::string& damage);

// The same for one compressed stream without a header, as zip archives have
// them, of at most `most` uncompressed bytes. `taken`: how many of the bytes
// belong to it; 0 if its end is not there.
absl::StatusOr<int> InflateBare(std::string_view bytes, const std::string& path,
                                size_t most, const Cancellation* cancellation,
                                std::string& damage, size_t& taken);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_GUNZIP_H_
