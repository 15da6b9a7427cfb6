// Timelines: reports as Chrome trace JSON, for chrome://tracing or Perfetto.
//
// The graph view gives real time: a process for each device, a region for each
// execution of a shown node, arrows between devices, and counters for the
// memory of a GPU. Scope and code give nested bars whose widths are total
// times; their time axis has no meaning. The bytes equal the reference's (spec
// 11): one line of compact JSON, keys in ascending order. Times are
// microseconds.
//
// Text is written incrementally. Memory is 32 bytes for each shown execution
// and 24 for each allocation, for any number of arrows. Errors of writing come
// from the sink.

#ifndef TFPROF_EXPORTERS_REFERENCE_TIMELINE_H_
#define TFPROF_EXPORTERS_REFERENCE_TIMELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "util/files/sink.h"
#include "views/report.h"

namespace tfprof::exporters {

struct TimelineResult {
  // "<device> peak memory: 1.23 MB\n", for stdout.
  std::vector<std::string> peak_lines;
  // True if the file is larger than Chrome can open; it is complete
  // nevertheless.
  bool over_200mb = false;
  // For WriteGraphTimeline(): the executions in the file, all executions of the
  // step on devices that can be shown, and the times of both in microseconds.
  int64_t executions = 0;
  int64_t micros = 0;
  int64_t all_executions = 0;
  int64_t all_micros = 0;
};

// Writes one step for the rows of `report`, which must be a graph view report.
// For the average, the reference makes a new report for each step, so that
// filters apply to that step: pass a report for `step`. There are no events if
// `step` is not listed.
TimelineResult WriteGraphTimeline(const views::Report& report, int64_t step,
                                  util::Sink& sink);

// `report` must be a scope or code view report.
TimelineResult WriteNestedTimeline(const views::Report& report,
                                   util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_TIMELINE_H_
