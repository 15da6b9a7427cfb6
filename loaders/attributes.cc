#include "loaders/attributes.h"

#include "absl/container/flat_hash_map.h"
#include "util/wire.h"

namespace tfprof {

AttributeList ReadAttributes(std::string_view node_record, uint32_t number) {
  AttributeList attributes;
  absl::flat_hash_map<absl::string_view, size_t> seen;
  WireReader r(node_record);
  while (r.Next()) {
    MapEntry entry;
    if (r.tag() != LengthTag(number) || !ReadMapEntry(r.view(), entry)) {
      continue;
    }
    const absl::string_view key(entry.string_key.data(),
                                entry.string_key.size());
    const auto [it, is_new] = seen.try_emplace(key, attributes.size());
    if (is_new) {
      attributes.push_back({entry.string_key, entry.value});
    } else {
      attributes[it->second].second = entry.value;
    }
  }
  return attributes;
}

}  // namespace tfprof
