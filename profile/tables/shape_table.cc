#include "profile/tables/shape_table.h"

namespace tfprof::profile {

ShapeTable::ShapeTable() { Intern({}); }

ShapeId ShapeTable::Intern(std::span<const int64_t> dims) {
  const ShapeId id = keys_.Intern(
      {reinterpret_cast<const char*>(dims.data()), dims.size_bytes()});
  if (id + 1 == begin_.size()) {
    dims_.insert(dims_.end(), dims.begin(), dims.end());
    begin_.push_back(dims_.size());
  }
  return id;
}

}  // namespace tfprof::profile
