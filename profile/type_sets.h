// TypeSets: the op types of nodes, each distinct set once.
//
// A node's types are its op, the device it ran on, and what an op log added
// ("_trainable_variables"). A graph of a million nodes has some hundred
// distinct sets, so a node holds a set's id, and a regular expression over
// types is evaluated once per set. The result of adding a type to a set is
// cached, which makes it one hash lookup.
// Id 0 is the empty set. Members are string ids of the profile's pool, in
// ascending order of their strings.

#ifndef TFPROF_PROFILE_TYPE_SETS_H_
#define TFPROF_PROFILE_TYPE_SETS_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/string_pool.h"

namespace tfprof {

using TypeSetId = uint32_t;
inline constexpr TypeSetId kNoTypes = 0;

class TypeSets {
 public:
  TypeSets();

  // The set `id` with `type`. `strings` must hold `type` and all members.
  TypeSetId Add(TypeSetId id, StringId type, const StringPool& strings);

  // The set `id` with all of `types`. Makes no intermediate sets: a node to
  // which a log gives a million types costs one set of a million.
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

}  // namespace tfprof

#endif  // TFPROF_PROFILE_TYPE_SETS_H_
