// The charts of tfvis and tensorflow-tracer: a StepStats as JSON, box for box
// as their pages drew it.
//
//   {"charts": [{"title", "device", "communication", "lanes", "boxes",
//                "box": [[lane, start, duration, name, op, label], …]}, …],
//    "figures": {"step_time_us", "communication_time_us", "busy_time_us",
//                "compute_only_union_us", "exposed_communication_us"}}
//
// Two charts for each device of the file, what it computed and what it
// communicated, by title; a chart without a box is left out. Communication is a
// record that is named RecvTensor or whose label has " = HorovodAllreduce(".
// Starts are microseconds since the first record. Boxes are in the order of the
// file; by start, each is in the first lane that is free, one microsecond wide
// at least. The figures are unions of intervals and do not count that width.
// Their page called the sum of all records computation: that is busy_time_us.
//
// Without a record there are no charts, and all figures are 0. Times beyond
// 2^60 are cut to it. Memory: some 80 bytes for each record; the messages stay
// in the caller's bytes.

#ifndef TFPROF_EXPORTERS_REFERENCE_TFVIS_CHARTS_H_
#define TFPROF_EXPORTERS_REFERENCE_TFVIS_CHARTS_H_

#include <span>
#include <string_view>

#include "util/sink.h"

namespace tfprof {

// `step_stats`: serialized StepStats messages, which make one step.
void WriteTfvisCharts(std::span<const std::string_view> step_stats, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_REFERENCE_TFVIS_CHARTS_H_
