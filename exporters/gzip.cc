#include "exporters/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/status/status.h"

namespace tfprof {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // 16: a gzip header
constexpr int kMemLevel = 9;
constexpr size_t kOutputBytes = 64 * 1024;

}  // namespace

absl::StatusOr<std::string> GzipCompress(std::string_view bytes) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits,
                   kMemLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    return absl::ResourceExhaustedError("no memory to compress with");
  }
  std::string compressed;
  std::string output(kOutputBytes, '\0');
  int result = Z_OK;
  while (result == Z_OK) {
    // zlib counts in 32 bits.
    const size_t size =
        std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    // zlib does not write there; its interface is older than const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(size);
    stream.next_out = reinterpret_cast<Bytef*>(output.data());
    stream.avail_out = static_cast<uInt>(output.size());
    result = deflate(&stream, size == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(size - stream.avail_in);
    compressed.append(output, 0, output.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  if (result != Z_STREAM_END) {
    return absl::InternalError("zlib did not finish its stream");
  }
  return compressed;
}

}  // namespace tfprof
