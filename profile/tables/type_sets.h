// TypeSets: stores each distinct set of op types once.
//
// A node's types are its op, the device it ran on, and types from an op log
// ("_trainable_variables"). A graph of a million nodes has only some hundred
// distinct sets, so a node stores a set's id, and a regular expression over
// types is evaluated once per set. The result of adding a type to a set is
// cached, so it usually costs one hash lookup. Id 0 is the empty set. Members
// are string ids of the profile's pool, in ascending order of their strings.

#ifndef TFPROF_PROFILE_TABLES_TYPE_SETS_H_
#define TFPROF_PROFILE_TABLES_TYPE_SETS_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {

using TypeSetId = uint32_t;
inline constexpr TypeSetId kNoTypes = 0;

class TypeSets {
 public:
  TypeSets();

  // Returns the set `id` plus `type`. `strings` must contain `type` and all
  // members.
  TypeSetId Add(TypeSetId id, StringId type, const StringPool& strings);

  // Returns the set `id` plus all of `types`. Makes no intermediate sets: if a
  // log gives a node a million types, this adds only one set.
  TypeSetId AddAll(TypeSetId id, std::vector<StringId> types,
                   const StringPool& strings);

  std::span<const StringId> operator[](TypeSetId id) const { return sets_[id]; }
  size_t size() const { return sets_.size(); }
  size_t bytes() const;

 private:
  TypeSetId Intern(std::vector<StringId> members);

  std::vector<std::vector<StringId>> sets_;
  absl::flat_hash_map<std::pair<TypeSetId, StringId>, TypeSetId> next_;
  absl::flat_hash_map<std::vector<StringId>, TypeSetId> ids_;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_TYPE_SETS_H_
