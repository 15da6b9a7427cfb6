#include "loaders/tensorflow/attributes.h"

#include "absl/container/flat_hash_map.h"
#include "util/files/wire.h"

namespace tfprof::tensorflow {

profile::AttributeList ReadAttributes(std::string_view node_record,
                                      uint32_t number) {
  // Most nodes have about five attributes; comparing them is faster than
  // hashing.
  constexpr size_t kFew = 16;
  profile::AttributeList attributes;
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
  util::WireReader r(node_record);
  while (r.Next()) {
    util::MapEntry entry;
    if (r.tag() != util::LengthTag(number) ||
        !util::ReadMapEntry(r.view(), entry)) {
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

}  // namespace tfprof::tensorflow
