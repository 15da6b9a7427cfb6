// Adds the critical path to a timeline page.
//
// It is the path of the step of `options`, or of a typical step if the page
// shows all of them. A note says which one, and if the step has more than
// kMaxDetailed executions, which leaves its path out. Times are in the ticks of
// the page.

#ifndef TFPROF_EXPORTERS_PAGE_CRITICAL_PATH_H_
#define TFPROF_EXPORTERS_PAGE_CRITICAL_PATH_H_

#include <cstdint>
#include <vector>

#include "exporters/page/collect.h"
#include "exporters/page/page.h"
#include "views/views.h"

namespace tfprof::exporters {

// `event_of` has the event of each record of each step in Profile::steps():
// kNone for a record without one, and nothing for a step that is not shown.
void AddCriticalPath(views::Views& views, const PageOptions& options,
                     const std::vector<std::vector<uint32_t>>& event_of,
                     Page& page);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_PAGE_CRITICAL_PATH_H_
