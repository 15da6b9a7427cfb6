// Children: the rows directly below a place, as `ls` lists them.

#ifndef TFPROF_INSPECT_NODES_CHILDREN_H_
#define TFPROF_INSPECT_NODES_CHILDREN_H_

#include "inspect/nodes/place.h"
#include "tables/data_table.h"
#include "views/options.h"
#include "views/views.h"

namespace tfprof::inspect {

// One row for each child, with the sums at and below it, sorted by name in the
// scopes, by order of creation in the code, or by the statistic of `options`.
// It uses the step, the order and the account types of `options`. Shares are
// relative to the place. A place without children is itself the only row.
tables::DataTable ChildrenTable(views::Views& views, const Place& place,
                                const views::ViewOptions& options);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_NODES_CHILDREN_H_
