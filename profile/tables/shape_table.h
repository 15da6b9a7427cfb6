// ShapeTable: stores every distinct tensor shape once.
//
// A shape is a list of dimensions, outermost first, in the reference's
// convention: a scalar is [1], an unknown dimension is -1, and the empty list
// means "unknown rank" (or "no such shape"). Id 0 is always the empty list.

#ifndef TFPROF_PROFILE_TABLES_SHAPE_TABLE_H_
#define TFPROF_PROFILE_TABLES_SHAPE_TABLE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "profile/tables/string_pool.h"
#include "util/arithmetic.h"

namespace tfprof::profile {

using ShapeId = uint32_t;
inline constexpr ShapeId kUnknownShape = 0;

class ShapeTable {
 public:
  ShapeTable();

  ShapeId Intern(std::span<const int64_t> dims);

  std::span<const int64_t> operator[](ShapeId id) const {
    return {dims_.data() + begin_[id], begin_[id + 1] - begin_[id]};
  }

  // Returns the number of elements of a parameter with this shape; 0 if the
  // shape is unknown or has an unknown (negative) dimension.
  int64_t Parameters(ShapeId id) const {
    const std::span<const int64_t> dims = (*this)[id];
    if (dims.empty()) return 0;
    int64_t n = 1;
    for (const int64_t dim : dims) {
      if (dim < 0) return 0;
      n = util::WrapMul(n, dim);
    }
    return n;
  }

  size_t size() const { return begin_.size() - 1; }
  size_t bytes() const {
    return keys_.bytes() + dims_.capacity() * sizeof(int64_t) +
           begin_.capacity() * sizeof(size_t);
  }

 private:
  StringPool keys_;  // the bytes of the dimensions
  std::vector<int64_t> dims_;
  std::vector<size_t> begin_ = {0};
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_SHAPE_TABLE_H_
