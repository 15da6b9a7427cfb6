// Memory: the level of each allocator over time, its peak, and the holders of
// the memory at the peak.
//
//   absl::StatusOr<MemoryChart> chart = MakeMemoryChart(views, step, "");
//   DataDocument document = MemoryDocument(*chart);
//   std::string text = MemoryText(*chart, look);
//
// A series is the level of one allocator: bytes in use from the records of
// TensorFlow 1, or a counter of a trace in bytes. Its peak equals the peak in
// `overview` (step_memory.h).
//
// Records of TensorFlow 1 have the allocations of each node, so a holder is a
// node with its bytes at the peak: its persistent memory, and its allocations
// that were not yet freed. A counter has only the level. Its holders are the
// operations that raised the level to the peak: the operations that ran when
// the level passed each height for the last time before the peak. They hold the
// memory if the last allocation is always freed first.
//
// Times are ticks of the profile, from the beginning of the chart. Each device
// of TensorFlow 1 has its own clock: its series begins with its first sample.

#ifndef TFPROF_INSPECT_DEVICES_MEMORY_H_
#define TFPROF_INSPECT_DEVICES_MEMORY_H_

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

namespace tfprof::inspect {

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
    // Parts of the peak without a holder: present at the first sample, and
    // unknown.
    int64_t from_start = 0;
    int64_t unknown = 0;
  };

  int64_t ticks_per_micro = 1;
  int64_t step = 0;  // kAllSteps: the whole recording
  int64_t length = 0;
  std::vector<Series> series;  // the largest peak first
  // Operations, by the largest memory that each used itself.
  std::vector<Holder> operations;
  size_t num_operations = 0;
};

// `step` is a listed step, or negative for the whole recording. `name` keeps
// the series whose names begin with it; "": all. FailedPrecondition: the
// profile has no memory; the message says how to record it. NotFound: no such
// series.
absl::StatusOr<MemoryChart> MakeMemoryChart(views::Views& views, int64_t step,
                                            std::string_view name);

// The tables series, holders, operations and curve. The curve points into the
// chart.
tables::DataDocument MemoryDocument(const MemoryChart& chart);

// At most `look.height` lines (0: as many as it needs) of `look.page()`
// columns.
std::string MemoryText(const MemoryChart& chart, const tables::TextLook& look);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_MEMORY_H_
