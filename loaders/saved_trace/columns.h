// Columns: the fields of one message of a saved trace, which are all numbers:
// single numbers, and columns of numbers, packed or not. Copies the numbers.
//
//   Columns c;
//   if (!c.Read(bytes)) …
//   for (size_t i = 0; i < c.Size(kName); ++i) c.At(kName, i);
//
// A missing field is an empty column.

#ifndef TFPROF_LOADERS_SAVED_TRACE_COLUMNS_H_
#define TFPROF_LOADERS_SAVED_TRACE_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "util/files/wire.h"

namespace tfprof::saved_trace {

class Columns {
 public:
  static constexpr uint32_t kMaxField = 31;

  // Replaces the previous message. Returns false if damaged.
  bool Read(std::string_view bytes) {
    columns_.assign(kMaxField + 1, {});
    bool good = true;
    util::WireReader r(bytes);
    while (r.Next()) {
      if (r.number() <= kMaxField) {
        good &= util::AppendInts(r, columns_[r.number()]);
      }
    }
    return good && !r.damaged();
  }

  std::span<const int64_t> operator[](uint32_t field) const {
    return columns_[field];
  }
  size_t Size(uint32_t field) const { return columns_[field].size(); }
  int64_t At(uint32_t field, size_t row) const { return columns_[field][row]; }
  // Returns the number in a field, or `missing` if there is none.
  int64_t Number(uint32_t field, int64_t missing = 0) const {
    return columns_[field].empty() ? missing : columns_[field].back();
  }
  // Returns whether the columns `first` … `last` have `rows` rows each.
  bool HaveRows(uint32_t first, uint32_t last, size_t rows) const {
    for (uint32_t field = first; field <= last; ++field) {
      if (columns_[field].size() != rows) return false;
    }
    return true;
  }

 private:
  std::vector<std::vector<int64_t>> columns_;
};

}  // namespace tfprof::saved_trace

#endif  // TFPROF_LOADERS_SAVED_TRACE_COLUMNS_H_
