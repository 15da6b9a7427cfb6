#include "tables/role_column.h"

#include "timeline/account/work_classes.h"

namespace tfprof::tables {

DataColumn RoleColumn() {
  return {.name = "role", .title = "role", .nothing = ""};
}

DataCell RoleCell(std::string_view op) {
  const std::string_view role = timeline::RoleOf(op);
  return role.empty() ? DataCell() : TextCell(role);
}

}  // namespace tfprof::tables
