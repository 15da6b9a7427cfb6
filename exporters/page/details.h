// The data in the records of events: recorded fields, transfers, and the memory
// of allocators. They are decoded from the inputs, so a page has them only for
// a limited number of events (collect.h).

#ifndef TFPROF_EXPORTERS_PAGE_DETAILS_H_
#define TFPROF_EXPORTERS_PAGE_DETAILS_H_

#include <span>
#include <vector>

#include "exporters/page/page.h"
#include "profile/profile.h"
#include "util/run/task_options.h"

namespace tfprof::exporters {

// The record of an event of a page.
struct EventRecord {
  profile::RecordRef record = profile::kNoRecord;
  profile::LaneId lane = profile::kNone;
  bool on_cpu = false;
};

// Adds details, transfers and counters to the page. `records` has one element
// for each event, in the same order. A part of them is missing after a
// cancellation of `work`.
void AddDetails(const profile::Profile& profile,
                std::span<const EventRecord> records,
                const util::TaskOptions& work, Page& page);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_PAGE_DETAILS_H_
