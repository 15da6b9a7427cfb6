// Modules: the compiled programs that the nodes of a profile belong to.
//
// A compiler uses the same names in each program that it makes: "fusion.3" of
// one module is not related to "fusion.3" of another. So a node's key is
// (module, name), see node_table.h. A module is a dense id. Module 0 always
// exists and has no name; nodes of a format without modules are in it. All
// other modules have distinct names.
//
// Names are ids in the profile's string pool. Owned by a Profile and immutable
// there. There are at most 2^32 - 2 modules.

#ifndef TFPROF_PROFILE_TABLES_MODULES_H_
#define TFPROF_PROFILE_TABLES_MODULES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {

using ModuleId = uint32_t;
inline constexpr ModuleId kUnnamedModule = 0;

class Modules {
 public:
  // Returns the module with this name, which is added if it is new.
  ModuleId Intern(StringId name);

  // Returns kNone if there is no module with this name.
  ModuleId Find(StringId name) const;

  // kNone for the unnamed module.
  StringId name(ModuleId module) const { return names_[module]; }
  // Includes the unnamed module.
  size_t size() const { return names_.size(); }
  size_t bytes() const {
    return names_.capacity() * sizeof(StringId) +
           ids_.capacity() * (sizeof(StringId) + sizeof(ModuleId) + 1);
  }

 private:
  std::vector<StringId> names_ = {kNone};
  absl::flat_hash_map<StringId, ModuleId> ids_;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_MODULES_H_
