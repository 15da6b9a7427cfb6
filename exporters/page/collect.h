// Makes the timeline page of a profile: every execution of the chosen steps,
// with the tables that the page shows beside them.
//
//   Page page = CollectPage(views, {.step = 3});
//   page.findings = …;
//   WritePage(page, sink);
//
// Lanes are those of the profile, cut by what their events are: a thread that
// computes and receives has a lane for each. Lanes that repeat others
// (Lane::repeats) are there and are not counted.
//
// Not all fields of all records fit a page: fields of the kMaxDetailed longest
// executions are kept, and of all transfers what they moved. A note says so.
//
// Figures of devices are the sums of those of the steps that are shown
// (inspect/device_figures.h). The critical path is that of the step, or of a
// typical one if there are several; a note says of which, and if it is left out
// because the step has more than kMaxDetailed executions.
//
// Events without a start are left out and noted. Starts and durations beyond
// what a browser's numbers hold (2^53) are cut to it, and noted. A negative
// duration becomes 0.

#ifndef TFPROF_EXPORTERS_PAGE_COLLECT_H_
#define TFPROF_EXPORTERS_PAGE_COLLECT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exporters/page/page.h"
#include "views/views.h"

namespace tfprof {

inline constexpr size_t kMaxDetailed = 100'000;

struct PageOptions {
  // Below 0: all steps, and what is in none.
  int64_t step = -1;
  // Ticks of the profile that are added to the times of a lane, by LaneId:
  // estimated offsets of clocks (timeline/clock_offsets.h). Shorter or empty:
  // none are added.
  std::vector<int64_t> clock_offsets;
};

// Title, program and findings are for the caller to set.
Page CollectPage(Views& views, const PageOptions& options);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_PAGE_COLLECT_H_
