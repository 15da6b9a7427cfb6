// The charts of tfvis and tensorflow-tracer: a StepStats as JSON, with the same
// boxes as on their pages.
//
//   {"charts": [{"title", "device", "communication", "lanes", "boxes",
//                "box": [[lane, start, duration, name, op, label], …]}, …],
//    "figures": {"step_time_us", "communication_time_us", "busy_time_us",
//                "compute_only_union_us", "exposed_communication_us"}}
//
// Each device of the file has two charts, for computation and communication,
// sorted by title; a chart without a box is left out. A record is communication
// if its name is RecvTensor or its label contains " = HorovodAllreduce(".
// Starts are microseconds since the first record. Boxes are in file order. Each
// gets the first free lane in order of start, and is at least one microsecond
// wide. The figures are unions of intervals and ignore this minimum. Their page
// called the sum of all records computation: that is busy_time_us.
//
// Without a record there are no charts, and all figures are 0. Times beyond
// 2^60 are limited to it. Memory is about 80 bytes for each record; the
// messages stay in the caller's bytes.

#ifndef TFPROF_EXPORTERS_REFERENCE_TFVIS_CHARTS_H_
#define TFPROF_EXPORTERS_REFERENCE_TFVIS_CHARTS_H_

#include <span>
#include <string_view>

#include "util/files/sink.h"

namespace tfprof::exporters {

// `step_stats` are serialized StepStats messages, which form one step.
void WriteTfvisCharts(std::span<const std::string_view> step_stats,
                      util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_TFVIS_CHARTS_H_
