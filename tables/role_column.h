// The column "role" of tables of operations: what an operation is if it is no
// work, such as a call that waits (timeline/account/work_classes.h). A wait is
// never the cause of lost time, so people see it marked. The column exists only
// if an operation of the table has a role.

#ifndef TFPROF_TABLES_ROLE_COLUMN_H_
#define TFPROF_TABLES_ROLE_COLUMN_H_

#include <string_view>
#include <variant>

#include "tables/data_table.h"

namespace tfprof::tables {

DataColumn RoleColumn();
DataCell RoleCell(std::string_view op);
// Whether an operation has a role.
inline bool HasRole(std::string_view op) {
  return !std::holds_alternative<std::monostate>(RoleCell(op));
}

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_ROLE_COLUMN_H_
