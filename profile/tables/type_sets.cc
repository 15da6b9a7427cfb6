#include "profile/tables/type_sets.h"

#include <algorithm>

namespace tfprof::profile {

TypeSetId TypeSets::Intern(std::vector<StringId> members) {
  const auto [it, is_new] =
      ids_.try_emplace(members, static_cast<TypeSetId>(sets_.size()));
  if (is_new) sets_.push_back(std::move(members));
  return it->second;
}

TypeSets::TypeSets() { Intern({}); }

TypeSetId TypeSets::Add(TypeSetId id, StringId type,
                        const StringPool& strings) {
  const auto it = next_.find({id, type});
  if (it != next_.end()) return it->second;
  return next_[{id, type}] = AddAll(id, {type}, strings);
}

TypeSetId TypeSets::AddAll(TypeSetId id, std::vector<StringId> types,
                           const StringPool& strings) {
  types.insert(types.end(), sets_[id].begin(), sets_[id].end());
  std::sort(types.begin(), types.end(), [&](StringId a, StringId b) {
    return a != b && strings.Get(a) < strings.Get(b);
  });
  types.erase(std::unique(types.begin(), types.end()), types.end());
  return Intern(std::move(types));
}

size_t TypeSets::bytes() const {
  size_t bytes = next_.capacity() * 13;
  for (const std::vector<StringId>& set : sets_) {
    // Each set is stored here and as a key.
    bytes +=
        2 * (sizeof(std::vector<StringId>) + set.capacity() * sizeof(StringId));
  }
  return bytes;
}

}  // namespace tfprof::profile
