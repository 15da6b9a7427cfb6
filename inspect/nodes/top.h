// Top: the most expensive nodes at and below a place.

#ifndef TFPROF_INSPECT_NODES_TOP_H_
#define TFPROF_INSPECT_NODES_TOP_H_

#include <cstddef>

#include "inspect/nodes/place.h"
#include "tables/data_table.h"
#include "views/options.h"
#include "views/views.h"

namespace tfprof::inspect {

// The `count` nodes with the most of the statistic of `options`, or of time if
// `options` order by name. It uses the step, the order, the account types and
// the names to show and to hide of `options`. Nodes whose statistic is 0 are
// skipped; shares are relative to all nodes below the place. It selects before
// it sorts: ten of a million nodes cost one pass.
tables::DataTable TopTable(views::Views& views, const Place& place,
                           const views::ViewOptions& options, size_t count);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_NODES_TOP_H_
