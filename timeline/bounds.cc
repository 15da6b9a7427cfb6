#include "timeline/bounds.h"

#include "util/arithmetic.h"

namespace tfprof::timeline {

OffsetBounds::OffsetBounds(size_t clocks)
    : clocks_(clocks), most_(clocks * clocks, kUnbounded) {
  for (size_t c = 0; c < clocks; ++c) At(c, c) = 0;
}

void OffsetBounds::AddOrder(uint32_t from, int64_t earlier, uint32_t to,
                            int64_t later) {
  // earlier + offset(from) <= later + offset(to)
  int64_t& most = At(to, from);
  most = std::min(most, later - earlier);
}

void OffsetBounds::Follow(std::vector<int64_t>& most, size_t clocks) {
  for (size_t k = 0; k < clocks; ++k) {
    for (size_t a = 0; a < clocks; ++a) {
      const int64_t first = most[a * clocks + k];
      if (first == kUnbounded) continue;
      for (size_t b = 0; b < clocks; ++b) {
        const int64_t second = most[k * clocks + b];
        if (second == kUnbounded) continue;
        int64_t& direct = most[a * clocks + b];
        direct = std::min(direct, util::SaturatingAdd(first, second));
      }
    }
  }
}

std::vector<uint32_t> OffsetBounds::Close() {
  const std::vector<int64_t> given = most_;
  Follow(most_, clocks_);
  std::vector<uint32_t> contradictory;
  for (uint32_t c = 0; c < clocks_; ++c) {
    if (At(c, c) < 0) contradictory.push_back(c);
  }
  if (contradictory.empty()) return contradictory;
  most_ = given;
  for (const uint32_t c : contradictory) {
    for (size_t other = 0; other < clocks_; ++other) {
      At(c, other) = At(other, c) = kUnbounded;
    }
    At(c, c) = 0;
  }
  Follow(most_, clocks_);
  return contradictory;
}

std::pair<std::optional<int64_t>, std::optional<int64_t>> OffsetBounds::Between(
    uint32_t a, uint32_t b) const {
  std::pair<std::optional<int64_t>, std::optional<int64_t>> bounds;
  if (At(b, a) != kUnbounded) bounds.first = -std::max(At(b, a), -INT64_MAX);
  if (At(a, b) != kUnbounded) bounds.second = At(a, b);
  return bounds;
}

}  // namespace tfprof::timeline
