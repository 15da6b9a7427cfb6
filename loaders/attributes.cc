#include "loaders/attributes.h"

#include "absl/container/flat_hash_map.h"
#include "loaders/wire.h"

namespace tfprof {

bool ReadShape(std::string_view bytes, std::vector<int64_t>& dims) {
  dims.clear();
  bool unknown_rank = false;
  WireReader shape(bytes);
  while (shape.Next()) {
    if (shape.tag() == VarintTag(3)) {
      unknown_rank = shape.value() != 0;
    } else if (shape.tag() == LengthTag(2)) {
      int64_t size = 0;
      WireReader dim(shape.view());
      while (dim.Next()) {
        if (dim.tag() == VarintTag(1)) size = dim.int64();
      }
      if (dim.damaged()) return false;
      dims.push_back(size);
    }
  }
  if (unknown_rank) {
    dims.clear();
  } else if (dims.empty()) {
    dims.push_back(1);
  }
  return !shape.damaged();
}

std::optional<std::string_view> AttrMember(std::string_view attr_value,
                                           uint32_t number) {
  std::optional<std::string_view> member;
  WireReader r(attr_value);
  while (r.Next()) {
    // Numbers 1 to 10 are the oneof: the last one set is the one that is.
    if (r.number() == number && r.is_length()) {
      member = r.view();
    } else if (r.number() <= 10) {
      member.reset();
    }
  }
  if (r.damaged()) return std::nullopt;
  return member;
}

std::vector<std::pair<std::string_view, std::string_view>> ReadAttributes(
    std::string_view node_record, uint32_t number) {
  // Most nodes have five attributes, which are compared faster than hashed.
  constexpr size_t kFew = 16;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
  absl::flat_hash_map<absl::string_view, size_t> seen;
  const auto find = [&](std::string_view key) {
    if (attributes.size() <= kFew) {
      size_t i = 0;
      while (i < attributes.size() && attributes[i].first != key) ++i;
      return i;
    }
    if (seen.empty()) {
      for (size_t i = 0; i < attributes.size(); ++i) {
        const std::string_view known = attributes[i].first;
        seen.emplace(absl::string_view(known.data(), known.size()), i);
      }
    }
    const absl::string_view absl_key(key.data(), key.size());
    return seen.try_emplace(absl_key, attributes.size()).first->second;
  };
  WireReader r(node_record);
  while (r.Next()) {
    MapEntry entry;
    if (r.tag() != LengthTag(number) || !ReadMapEntry(r.view(), entry)) {
      continue;
    }
    const size_t at = find(entry.string_key);
    if (at == attributes.size()) {
      attributes.push_back({entry.string_key, entry.value});
    } else {
      attributes[at].second = entry.value;
    }
  }
  return attributes;
}

}  // namespace tfprof
