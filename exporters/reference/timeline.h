// Timelines: reports as Chrome trace JSON, for chrome://tracing or Perfetto.
//
// The graph view gives real time: a process for each device, a region for each
// execution of a shown node, arrows between devices, and counters for the
// memory of a GPU. Scope and code give nested bars whose widths are total
// times; their time axis means nothing. The bytes are the reference's (spec
// 11): one line of compact JSON, keys in ascending order. Times are
// microseconds.
//
// Text is written as soon as it is made. What stays in memory is compact: 32
// bytes for each shown execution and 24 for each allocation, for any number of
// arrows. Errors of writing are the sink's.

#ifndef TFPROF_EXPORTERS_REFERENCE_TIMELINE_H_
#define TFPROF_EXPORTERS_REFERENCE_TIMELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "util/sink.h"
#include "views/report.h"

namespace tfprof {

struct TimelineResult {
  // "<device> peak memory: 1.23 MB\n", for stdout.
  std::vector<std::string> peak_lines;
  // Larger than what Chrome opens; the file is complete nevertheless.
  bool over_200mb = false;
  // Of WriteGraphTimeline(): the executions in the file, those that the step
  // has on devices that can be shown, and their times in microseconds.
  int64_t executions = 0;
  int64_t micros = 0;
  int64_t all_executions = 0;
  int64_t all_micros = 0;
};

// Writes one step for the rows of `report`, which is a report of the graph
// view. For the average, the reference makes a new report for each step, so
// that filters apply to that step: pass a report of `step`. There are no events
// when `step` is not listed.
TimelineResult WriteGraphTimeline(const Report& report, int64_t step,
                                  Sink& sink);

// `report` is one of the scope or the code view.
TimelineResult WriteNestedTimeline(const Report& report, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_REFERENCE_TIMELINE_H_
