// The column "role" of tables of operations: what an operation is if it is no
// work, such as a call that waits (timeline/account/op_roles.h). A wait is
// never the cause of lost time, so people see it marked. The column exists only
// if an operation of the table has a role.

#ifndef TFPROF_TABLES_ROLE_COLUMN_H_
#define TFPROF_TABLES_ROLE_COLUMN_H_

#include <string_view>

#include "tables/data_table.h"

namespace tfprof::tables {

DataColumn RoleColumn();
// `role` is from OpRoles::Of().
DataCell RoleCell(std::string_view role);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_ROLE_COLUMN_H_
