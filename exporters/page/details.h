// What the records of events say: recorded fields, transfers, and the memory of
// allocators. They are decoded from the inputs, so only those of a limited
// number of events go into a page (collect.h).

#ifndef TFPROF_EXPORTERS_PAGE_DETAILS_H_
#define TFPROF_EXPORTERS_PAGE_DETAILS_H_

#include <span>
#include <vector>

#include "exporters/page/page.h"
#include "profile/profile.h"

namespace tfprof {

// The record of an event of a page.
struct EventRecord {
  RecordRef record = kNoRecord;
  LaneId lane = kNone;
  bool on_cpu = false;
};

// Adds details, transfers and counters to the page. `records` has an element
// for each event, in the same order.
void AddDetails(const Profile& profile, std::span<const EventRecord> records,
                Page& page);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_PAGE_DETAILS_H_
