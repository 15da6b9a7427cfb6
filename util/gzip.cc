#include "util/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

namespace tfprof {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // 16: a gzip header
constexpr int kMemLevel = 9;
constexpr size_t kOutputBytes = 64 * 1024;

}  // namespace

absl::Status GzipCompress(std::string_view bytes, Sink& sink) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits,
                   kMemLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    return absl::ResourceExhaustedError("not enough memory to compress");
  }
  const size_t all = bytes.size();
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
    sink.Write({output.data(), output.size() - stream.avail_out});
    if (all > 0) {
      sink.Reached(static_cast<double>(all - bytes.size()) /
                   static_cast<double>(all));
    }
  }
  deflateEnd(&stream);
  if (result != Z_STREAM_END) {
    return absl::InternalError("zlib did not finish its stream");
  }
  return absl::OkStatus();
}

}  // namespace tfprof
