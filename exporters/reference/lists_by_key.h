// ListsByKey: lists of T, one for each key from 0 to a maximum, built from
// pairs in any order. A list keeps the order of its pairs. All lists are stored
// in one vector: a graph has a million of them, most of them empty.

#ifndef TFPROF_EXPORTERS_REFERENCE_LISTS_BY_KEY_H_
#define TFPROF_EXPORTERS_REFERENCE_LISTS_BY_KEY_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tfprof::exporters {

template <typename T>
class ListsByKey {
 public:
  ListsByKey() = default;
  ListsByKey(size_t keys, const std::vector<std::pair<uint32_t, T>>& pairs)
      : begin_(keys + 1, 0), values_(pairs.size()) {
    for (const auto& [key, value] : pairs) ++begin_[key + 1];
    for (size_t i = 0; i < keys; ++i) begin_[i + 1] += begin_[i];
    std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
    for (const auto& [key, value] : pairs) values_[next[key]++] = value;
  }

  std::span<const T> operator[](uint32_t key) const {
    return {values_.data() + begin_[key], values_.data() + begin_[key + 1]};
  }

 private:
  std::vector<size_t> begin_;
  std::vector<T> values_;
};

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_LISTS_BY_KEY_H_
