#include "profile/tables/scopes.h"

namespace tfprof::profile {

Scopes::Scopes() { entries_.emplace_back(); }

ScopeId Scopes::Push(ScopeId parent, StringId name) {
  const auto [it, is_new] =
      ids_.try_emplace({parent, name}, static_cast<ScopeId>(entries_.size()));
  if (is_new) entries_.push_back({parent, name});
  return it->second;
}

}  // namespace tfprof::profile
