// Collects the timeline page of a profile: every execution of the chosen steps,
// and the tables that the page shows with them.
//
//   Page page = CollectPage(views, {.step = 3});
//   page.findings = …;
//   WritePage(page, sink);
//
// Lanes are the lanes of the profile, divided by the kind of their events: a
// thread that computes and receives has a lane for each. Lanes that repeat
// others (Lane::repeats) are included, but not counted.
//
// Not all fields of all records fit into a page: it keeps the fields of the
// kMaxDetailed longest executions, and the data of all transfers. A note says
// so.
//
// Figures of devices are sums over the steps that are shown
// (inspect/devices/device_figures.h). The critical path belongs to the step, or
// to a typical one if there are several; a note names the step, or says that
// the path is left out because the step has more than kMaxDetailed executions.
//
// Events without a start are left out and noted. Starts and durations above the
// largest integer of a browser (2^53) are limited to it and noted. A negative
// duration becomes 0.

#ifndef TFPROF_EXPORTERS_PAGE_COLLECT_H_
#define TFPROF_EXPORTERS_PAGE_COLLECT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exporters/page/page.h"
#include "views/views.h"

namespace tfprof::exporters {

inline constexpr size_t kMaxDetailed = 100'000;

struct PageOptions {
  // Below 0: all steps, and executions outside steps.
  int64_t step = -1;
  // Ticks of the profile that are added to the times of each lane, by LaneId:
  // estimated offsets of clocks (timeline/ranks/clock_offsets.h). Missing
  // entries add nothing.
  std::vector<int64_t> clock_offsets;
};

// The caller sets title, program and findings. The page is incomplete after a
// cancellation of the work of `views`.
Page CollectPage(views::Views& views, const PageOptions& options);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_PAGE_COLLECT_H_
