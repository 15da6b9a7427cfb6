// Ids in a saved trace: numbers that must be below the size of the table to
// which they refer, and trees whose parents come before their children. The
// functions say what is out of range; they never read outside of a table.

#ifndef TFPROF_LOADERS_SAVED_TRACE_IDS_H_
#define TFPROF_LOADERS_SAVED_TRACE_IDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "loaders/saved_trace/columns.h"
#include "loaders/saved_trace/fields.h"
#include "profile/profile.h"

namespace tfprof::saved_trace {

// Decodes id + 1, where 0 is none; nullopt: the id is not below `size`.
inline std::optional<uint32_t> OptionalId(int64_t value, size_t size) {
  if (value == 0) return profile::kNone;
  if (value < 0 || static_cast<uint64_t>(value) > size) return std::nullopt;
  return static_cast<uint32_t>(value - 1);
}

inline bool IsId(int64_t value, size_t size) {
  return value >= 0 && static_cast<uint64_t>(value) < size;
}

// Calls add(parent, content) for each entry; parents come before children.
// `contents` is the size of the table of contents. Returns false for damage.
template <typename Add>
bool ReadTree(std::string_view bytes, size_t contents, Add add) {
  Columns c;
  if (!c.Read(bytes)) return false;
  const size_t size = c.Size(trace_tree::kParent);
  if (c.Size(trace_tree::kContent) != size) return false;
  for (size_t i = 0; i < size; ++i) {
    const int64_t parent = c.At(trace_tree::kParent, i);
    const int64_t content = c.At(trace_tree::kContent, i);
    if (!IsId(parent, i + 1) || !IsId(content, contents)) return false;
    add(static_cast<uint32_t>(parent), static_cast<size_t>(content));
  }
  return true;
}

}  // namespace tfprof::saved_trace

#endif  // TFPROF_LOADERS_SAVED_TRACE_IDS_H_
