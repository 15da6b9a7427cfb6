// Unpacks gzip-compressed inputs ("run_meta_100.gz"), which are recognised by
// their first two bytes.
//
// The uncompressed bytes are written to a file without a name and mapped like
// any other input. So they take no memory of this program, whatever their size.
// Several members in one file are one input.
//
// The unpacked size is limited, because 1 MB can unpack to 1 GB of zeros, and
// to more in several layers. The limit is kMaxRatio times the size of the file,
// but at least kMinUnpacked. Profiles and traces unpack to 5 to 40 times their
// size.

#ifndef TFPROF_LOADERS_CORE_GUNZIP_H_
#define TFPROF_LOADERS_CORE_GUNZIP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "util/run/cancellation.h"

namespace tfprof::loaders {

bool IsGzip(std::string_view bytes);

inline constexpr size_t kMaxRatio = 200;
inline constexpr size_t kMinUnpacked = size_t{256} << 20;

// Receives the number of bytes read so far, and an estimate of the total; 0:
// unknown.
using ReadProgress = std::function<void(int64_t done, int64_t total)>;

// Returns an open file descriptor of the uncompressed bytes, which the caller
// closes. `path` is for messages. If the stream is damaged, the file has the
// bytes before the damage, and `damage` describes it. Errors: DataLoss when
// there is no byte before the damage; ResourceExhausted beyond the limit; the
// error of the system when $TMPDIR (or /tmp) cannot hold the bytes; Cancelled.
absl::StatusOr<int> Gunzip(std::string_view bytes, const std::string& path,
                           const ReadProgress& progress,
                           const util::Cancellation* cancellation,
                           std::string& damage);

// Unpacks one compressed stream without a header, as in zip archives, to at
// most `most` bytes. `taken` is the number of input bytes that belong to the
// stream; 0 if its end is missing. Otherwise like Gunzip().
absl::StatusOr<int> InflateBare(std::string_view bytes, const std::string& path,
                                size_t most,
                                const util::Cancellation* cancellation,
                                std::string& damage, size_t& taken);

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_GUNZIP_H_
