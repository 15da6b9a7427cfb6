// Scopes: the parts of a program that nodes belong to, as a tree.
//
// The loader builds the tree, because only the loader knows where to divide the
// names of its format: "jit(f)/vmap(a/b)/dot" has three parts. A part is any
// string of at least one byte, and readers do not divide it again. Id 0 is the
// root, which has no name and no parent; the id of a scope is larger than its
// parent's. Scopes with the same parent have different names.
//
// In a profile without this table (size() is 1 and NodeTable::scope is empty),
// names are paths; views/name_path.h divides them.
//
// Names are ids in the profile's string pool. Owned by a Profile and immutable
// there. There are at most 2^32 - 2 scopes.

#ifndef TFPROF_PROFILE_TABLES_SCOPES_H_
#define TFPROF_PROFILE_TABLES_SCOPES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {

using ScopeId = uint32_t;
inline constexpr ScopeId kRootScope = 0;

class Scopes {
 public:
  struct Entry {
    ScopeId parent = kRootScope;
    StringId name = kNone;  // name of this part; kNone: the root
  };

  Scopes();

  // Returns the scope `name` in `parent`, which is added if it is new.
  ScopeId Push(ScopeId parent, StringId name);

  const Entry& operator[](ScopeId id) const { return entries_[id]; }
  // Includes the root.
  size_t size() const { return entries_.size(); }
  size_t bytes() const {
    return entries_.capacity() * sizeof(Entry) +
           ids_.capacity() * (sizeof(Entry) + sizeof(ScopeId) + 1);
  }

 private:
  std::vector<Entry> entries_;
  absl::flat_hash_map<std::pair<ScopeId, StringId>, ScopeId> ids_;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_SCOPES_H_
