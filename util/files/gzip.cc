#include "util/files/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

namespace tfprof::util {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // 16: a gzip header
constexpr int kMemLevel = 9;
constexpr int kFastLevel = 3;
constexpr size_t kOutputBytes = 65'536;
// The number of bytes to compress between two progress reports.
constexpr size_t kReportBytes = 65'536;

}  // namespace

struct GzipSink::Stream {
  z_stream zlib = {};
  std::string output = std::string(kOutputBytes, '\0');
  int result = Z_OK;
};

GzipSink::GzipSink(Sink& below, GzipLevel level)
    : below_(below), stream_(std::make_unique<Stream>()) {
  const int zlib_level =
      level == GzipLevel::kFast ? kFastLevel : Z_DEFAULT_COMPRESSION;
  if (deflateInit2(&stream_->zlib, zlib_level, Z_DEFLATED, kGzipWindowBits,
                   kMemLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    stream_ = nullptr;
  }
}

GzipSink::~GzipSink() {
  if (stream_ != nullptr) deflateEnd(&stream_->zlib);
}

void GzipSink::Write(std::string_view bytes) { Deflate(bytes, /*last=*/false); }

absl::Status GzipSink::Finish() {
  if (stream_ == nullptr) {
    return absl::ResourceExhaustedError("not enough memory to compress");
  }
  Deflate({}, /*last=*/true);
  if (stream_->result != Z_STREAM_END) {
    return absl::InternalError("zlib did not finish its stream");
  }
  return absl::OkStatus();
}

void GzipSink::Deflate(std::string_view bytes, bool last) {
  if (stream_ == nullptr) return;
  z_stream& zlib = stream_->zlib;
  std::string& output = stream_->output;
  do {
    // zlib counts in 32 bits.
    const size_t size =
        std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    // zlib does not write to its input; its interface is older than const.
    zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    zlib.avail_in = static_cast<uInt>(size);
    zlib.next_out = reinterpret_cast<Bytef*>(output.data());
    zlib.avail_out = static_cast<uInt>(output.size());
    stream_->result = deflate(&zlib, last ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(size - zlib.avail_in);
    below_.Write({output.data(), output.size() - zlib.avail_out});
  } while (stream_->result == Z_OK &&
           (last || !bytes.empty() || zlib.avail_out == 0));
}

absl::Status GzipCompress(std::string_view bytes, Sink& sink, GzipLevel level) {
  GzipSink gzip(sink, level);
  for (size_t at = 0; at < bytes.size(); at += kReportBytes) {
    gzip.Write(bytes.substr(at, kReportBytes));
    sink.Reached(
        static_cast<double>(std::min(at + kReportBytes, bytes.size())) /
        static_cast<double>(bytes.size()));
  }
  return gzip.Finish();
}

}  // namespace tfprof::util
