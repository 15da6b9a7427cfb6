#include "views/name_order.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace tfprof::views {
namespace {

// For few names, comparing whole names is cheaper.
constexpr size_t kSmall = 16;

// Bytes depth to depth + 7 of a name as a number that compares as they do;
// zeros after the name's end.
uint64_t KeyAt(std::string_view name, size_t depth) {
  uint64_t key = 0;
  if (depth + 8 <= name.size()) {
    std::memcpy(&key, name.data() + depth, 8);
  } else if (depth < name.size()) {
    std::memcpy(&key, name.data() + depth, name.size() - depth);
  }
  return __builtin_bswap64(key);
}

struct Keyed {
  uint64_t key;
  NamedId item;
};

struct Range {
  size_t begin, end, depth;  // names are equal before depth
};

bool LessFrom(const Keyed& a, const Keyed& b, size_t depth) {
  const int order =
      a.item.name.substr(depth).compare(b.item.name.substr(depth));
  return order != 0 ? order < 0 : a.item.id < b.item.id;
}

}  // namespace

void SortByName(std::span<NamedId> items) {
  if (items.size() <= kSmall) {
    std::sort(items.begin(), items.end(),
              [](const NamedId& a, const NamedId& b) {
                const int order = a.name.compare(b.name);
                return order != 0 ? order < 0 : a.id < b.id;
              });
    return;
  }
  std::vector<Keyed> keyed;
  keyed.reserve(items.size());
  for (const NamedId& item : items) keyed.push_back({0, item});
  std::vector<Range> todo = {{0, keyed.size(), 0}};
  while (!todo.empty()) {
    const auto [begin, end, depth] = todo.back();
    todo.pop_back();
    const auto first = keyed.begin() + static_cast<ptrdiff_t>(begin);
    const auto last = keyed.begin() + static_cast<ptrdiff_t>(end);
    if (end - begin <= kSmall) {
      std::sort(first, last, [depth = depth](const Keyed& a, const Keyed& b) {
        return LessFrom(a, b, depth);
      });
      continue;
    }
    bool all_equal = true;
    for (auto it = first; it != last; ++it) {
      it->key = KeyAt(it->item.name, depth);
      all_equal &= it->key == first->key;
    }
    if (!all_equal) {
      std::sort(first, last,
                [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
    }
    for (auto run = first; run != last;) {
      const uint64_t key = run->key;
      auto run_end = run + 1;
      while (run_end != last && run_end->key == key) ++run_end;
      // Names that end here are prefixes of the others: the shorter first
      // (they differ in trailing zero bytes only).
      const size_t next = depth + 8;
      const auto longer = std::partition(run, run_end, [&](const Keyed& k) {
        return k.item.name.size() <= next;
      });
      std::sort(run, longer, [](const Keyed& a, const Keyed& b) {
        return std::pair(a.item.name.size(), a.item.id) <
               std::pair(b.item.name.size(), b.item.id);
      });
      if (run_end - longer > 1) {
        todo.push_back({static_cast<size_t>(longer - keyed.begin()),
                        static_cast<size_t>(run_end - keyed.begin()), next});
      }
      run = run_end;
    }
  }
  for (size_t i = 0; i < items.size(); ++i) items[i] = keyed[i].item;
}

}  // namespace tfprof::views
