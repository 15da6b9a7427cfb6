// Columns of numbers as the timeline page stores them.
//
//   PageColumn start;
//   start.Add(delta);
//   start.Encode(sink);   // base64 of gzip of varints
//
// Numbers are varints of 7 bits, lowest first, in the order in which they are
// added. AddSigned stores numbers that may be negative, alternating (0, -1, 1,
// -2 …). Base64 has no line breaks.

#ifndef TFPROF_EXPORTERS_PAGE_COLUMNS_H_
#define TFPROF_EXPORTERS_PAGE_COLUMNS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "util/files/sink.h"

namespace tfprof::exporters {

class PageColumn {
 public:
  PageColumn() = default;
  explicit PageColumn(std::string bytes) : bytes_(std::move(bytes)) {}

  void Add(uint64_t number) {
    while (number >= 0x80) {
      bytes_ += static_cast<char>(number | 0x80);
      number >>= 7;
    }
    bytes_ += static_cast<char>(number);
  }
  void AddSigned(int64_t number) {
    Add((static_cast<uint64_t>(number) << 1) ^
        static_cast<uint64_t>(number >> 63));
  }
  // An id; kNone is 0, others are one more.
  void AddId(uint32_t id) { Add(static_cast<uint32_t>(id + 1)); }
  // The eight bytes of a double, the lowest first.
  void AddDouble(double number);

  absl::Status Encode(util::Sink& sink) const;
  size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

// Writes base64 with padding and without line breaks.
void WriteBase64(std::string_view bytes, util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_PAGE_COLUMNS_H_
