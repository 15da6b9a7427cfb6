// Edits: the parts of a file that are replaced; all other bytes stay.
//
// They are in the order of the file and do not overlap. So a redacted file of
// any size is written from the mapped original, and memory is in proportion to
// what was replaced.

#ifndef TFPROF_EXPORTERS_REDACT_EDITS_H_
#define TFPROF_EXPORTERS_REDACT_EDITS_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "util/files/sink.h"

namespace tfprof::exporters {

struct Edit {
  size_t begin = 0;  // in the file
  size_t size = 0;
  std::string text;  // instead
};

inline void WriteEdited(std::string_view bytes, const std::vector<Edit>& edits,
                        util::Sink& sink) {
  constexpr size_t kPiece = size_t{1} << 20;
  size_t at = 0;
  const auto copy = [&](size_t end) {
    while (at < end && sink.wanted()) {
      const size_t size = std::min(kPiece, end - at);
      sink.Write(bytes.substr(at, size));
      at += size;
      sink.Reached(static_cast<double>(at) / static_cast<double>(bytes.size()));
    }
  };
  for (const Edit& edit : edits) {
    copy(edit.begin);
    sink.Write(edit.text);
    at = edit.begin + edit.size;
  }
  copy(bytes.size());
}

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REDACT_EDITS_H_
