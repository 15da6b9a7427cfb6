#include "profile/tables/modules.h"

namespace tfprof::profile {

ModuleId Modules::Intern(StringId name) {
  const auto [it, is_new] =
      ids_.try_emplace(name, static_cast<ModuleId>(names_.size()));
  if (is_new) names_.push_back(name);
  return it->second;
}

ModuleId Modules::Find(StringId name) const {
  const auto it = ids_.find(name);
  return it == ids_.end() ? kNone : it->second;
}

}  // namespace tfprof::profile
