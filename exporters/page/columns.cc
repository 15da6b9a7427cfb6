#include "exporters/page/columns.h"

#include <bit>

#include "util/files/gzip.h"

namespace tfprof::exporters {

void PageColumn::AddDouble(double number) {
  uint64_t bits = std::bit_cast<uint64_t>(number);
  for (int i = 0; i < 8; ++i, bits >>= 8) bytes_ += static_cast<char>(bits);
}

absl::Status PageColumn::Encode(util::Sink& sink) const {
  util::StringSink compressed;
  absl::Status status =
      util::GzipCompress(bytes_, compressed, util::GzipLevel::kFast);
  if (status.ok()) WriteBase64(compressed.text(), sink);
  return status;
}

void WriteBase64(std::string_view bytes, util::Sink& sink) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr size_t kFlushBytes = 1 << 16;
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t k) -> uint32_t {
      return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0;
    };
    const uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += kDigits[group >> 18];
    text += kDigits[group >> 12 & 63];
    text += i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? kDigits[group & 63] : '=';
    if (text.size() >= kFlushBytes) {
      sink.Write(text);
      text.clear();
    }
  }
  sink.Write(text);
}

}  // namespace tfprof::exporters
