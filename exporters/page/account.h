// Adds the account of the wall time of each device to a page
// (timeline/account/account.h): of the step that the page shows, or of a
// typical one if it shows several. A page without such a step has no account.

#ifndef TFPROF_EXPORTERS_PAGE_ACCOUNT_H_
#define TFPROF_EXPORTERS_PAGE_ACCOUNT_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "exporters/page/collect.h"
#include "exporters/page/page.h"
#include "views/views.h"

namespace tfprof::exporters {

// The step that is shown, or a typical one; nullptr: no step has a wall time.
const profile::Step* TypicalOf(views::Views& views, const PageOptions& options);

// `device_of_unit` has the devices of the page by their units.
void AddAccount(views::Views& views, const PageOptions& options,
                const absl::flat_hash_map<uint32_t, uint32_t>& device_of_unit,
                Page& page);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_PAGE_ACCOUNT_H_
