#include "timeline/first_fit.h"

#include <algorithm>
#include <utility>

namespace tfprof::timeline {

uint32_t FirstFit::Place(int64_t start, int64_t end) {
  uint32_t row = 0;
  if (IsFree(ends_[1], start)) {
    size_t at = 1;
    while (at < leaves_) at = 2 * at + (IsFree(ends_[2 * at], start) ? 0 : 1);
    row = static_cast<uint32_t>(at - leaves_);
  } else {
    if (rows_ == leaves_) Grow();
    row = rows_++;
  }
  Set(row, std::min(end, kNever - 1));
  return row;
}

void FirstFit::Set(uint32_t row, int64_t end) {
  size_t at = leaves_ + row;
  ends_[at] = end;
  for (at /= 2; at > 0; at /= 2) {
    ends_[at] = std::min(ends_[2 * at], ends_[2 * at + 1]);
  }
}

void FirstFit::Grow() {
  const std::vector<int64_t> old = std::move(ends_);
  const size_t old_leaves = leaves_;
  leaves_ *= 2;
  ends_.assign(2 * leaves_, kNever);
  std::copy(old.begin() + static_cast<ptrdiff_t>(old_leaves), old.end(),
            ends_.begin() + static_cast<ptrdiff_t>(leaves_));
  for (size_t at = leaves_ - 1; at > 0; --at) {
    ends_[at] = std::min(ends_[2 * at], ends_[2 * at + 1]);
  }
}

}  // namespace tfprof::timeline
