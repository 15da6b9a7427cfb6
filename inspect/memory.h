// Memory: the level of each allocator over time, its peak, and what held the
// memory then.
//
//   absl::StatusOr<MemoryChart> chart = MakeMemoryChart(views, step, "");
//   DataDocument document = MemoryDocument(*chart);
//   std::string text = MemoryText(*chart, look);
//
// A series is the level of one allocator: bytes in use that the records of
// TensorFlow 1 have, or a counter in bytes of a trace. Its peak is the one of
// `overview` (step_memory.h).
//
// Records of TensorFlow 1 have the allocations of each node, so a holder is a
// node with what it had at the peak: its persistent memory, and what it had
// allocated and not freed before. A counter has the level only. Its holders are
// the operations that raised the level to the peak: those that ran when the
// level passed each height for the last time before the peak. That is who holds
// the memory if what is allocated last is freed first.
//
// Times are ticks of the profile, from the beginning of the chart. Devices of
// TensorFlow 1 have clocks of their own: each series begins with its first
// sample.

#ifndef TFPROF_INSPECT_MEMORY_H_
#define TFPROF_INSPECT_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "tables/text_look.h"
#include "views/views.h"

namespace tfprof {

struct MemoryChart {
  struct Sample {
    int64_t time = 0;
    int64_t bytes = 0;  // from then on
  };
  struct Holder {
    std::string name;
    int64_t bytes = 0;
  };
  struct Series {
    std::string name;  // "gpu:0", "gpu:0 allocated"
    std::vector<Sample> samples;
    int64_t peak = 0;
    std::optional<int64_t> peak_time;
    std::optional<int64_t> peak_step;
    // True: holders raised the level; false: they held memory at the peak.
    bool raised = false;
    std::vector<Holder> holders;  // the largest first
    // Of the peak: there at the first sample, and of no holder.
    int64_t from_start = 0;
    int64_t unknown = 0;
  };

  int64_t ticks_per_micro = 1;
  int64_t step = 0;  // kAllSteps: the whole recording
  int64_t length = 0;
  std::vector<Series> series;  // the largest peak first
  // Operations by the largest memory that each had itself.
  std::vector<Holder> operations;
  size_t num_operations = 0;
};

// `step`: a listed step, or a negative number for the whole recording. `name`:
// only series whose names begin with it; "": all. FailedPrecondition: the
// profile has no memory; says how to record it. NotFound: no such series.
absl::StatusOr<MemoryChart> MakeMemoryChart(Views& views, int64_t step,
                                            std::string_view name);

// The tables series, holders, operations and curve. The curve points into the
// chart.
DataDocument MemoryDocument(const MemoryChart& chart);

// At most `look.height` lines (0: as many as it needs) of `look.page()`
// columns.
std::string MemoryText(const MemoryChart& chart, const TextLook& look);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_MEMORY_H_
