#include "profile/tables/node_table.h"

namespace tfprof::profile {

NodeId NodeTable::FindInModule(ModuleId of, StringId string) const {
  const auto it = in_module.find({of, string});
  return it == in_module.end() ? kNone : it->second;
}

}  // namespace tfprof::profile
