#include "tables/role_column.h"

namespace tfprof::tables {

DataColumn RoleColumn() {
  return {.name = "role", .title = "role", .nothing = ""};
}

DataCell RoleCell(std::string_view role) {
  return role.empty() ? DataCell() : TextCell(role);
}

}  // namespace tfprof::tables
