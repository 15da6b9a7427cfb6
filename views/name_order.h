// Sorting many names with long common prefixes.
//
// Names of a model share most of their bytes ("tower_1/resnet/unit_3/…"): a
// comparison sort reads each name about 20 times. This one is a multikey
// quicksort over 8 bytes at a time: a million names in 0.3 s instead of 1.1 s.
// Byte order, as std::string compares; names may have any bytes; no recursion
// on their length.

#ifndef TFPROF_VIEWS_NAME_ORDER_H_
#define TFPROF_VIEWS_NAME_ORDER_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace tfprof {

struct NamedId {
  std::string_view name;
  uint32_t id;
};

// Ascending by name, equal names by id.
void SortByName(std::span<NamedId> items);

}  // namespace tfprof

#endif  // TFPROF_VIEWS_NAME_ORDER_H_
