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
// A memory snapshot has all allocations and their stacks
// (accounting/allocator_levels.h): a holder is a stack, with the number of its
// allocations. It also has the segments that the allocator reserved.
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
#include "accounting/allocator_levels.h"
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
    int64_t count = 0;       // allocations; 0: not recorded
    std::string stack = "";  // the frames, innermost first; "": not recorded
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
    // Only of memory snapshots: the last level. Then `holders` includes the
    // memory from the start.
    std::optional<int64_t> end;
  };
  // The allocator of a device, from a memory snapshot.
  struct Allocator {
    struct Segment {
      uint64_t address = 0;
      int64_t stream = 0;
      bool small = false;
      bool expandable = false;
      accounting::SegmentSums sums;
    };
    struct OutOfMemory {
      int64_t time = 0;
      bool has_time = false;
      int64_t requested = 0;
      int64_t device_free = 0;
      int64_t allocated = 0;  // the levels then
      int64_t reserved = 0;
      std::string name;  // the line that asked for it
    };
    // A stack that keeps more memory with each part of the recording.
    struct Growing {
      Holder holder;
      int64_t bytes_per_part = 0;
      size_t parts = 0;  // in which it grew
    };
    std::string name;  // "gpu:0"
    accounting::SegmentSums sums;
    std::vector<Segment> segments;
    accounting::AllocatorLevels levels;
    bool has_events = false;
    std::vector<Holder> never_freed;  // the largest first
    std::vector<Holder> held_at_end;  // of an allocator without events
    std::vector<OutOfMemory> failures;
    // accounting/allocator_growth.h.
    std::vector<Growing> growing;  // the most bytes first
    size_t parts = 0;
    bool parts_are_steps = false;
  };

  int64_t ticks_per_micro = 1;
  int64_t step = 0;  // kAllSteps: the whole recording
  int64_t length = 0;
  // Levels in use before reserved ones, the largest peak first; of a snapshot
  // by device, allocated before reserved.
  std::vector<Series> series;
  // Of a memory snapshot.
  bool is_snapshot = false;
  std::vector<Allocator> allocators;
  // Operations, by the memory that one run of each used itself.
  std::vector<Holder> operations;
  size_t num_operations = 0;
};

// `step` is a listed step, or negative for the whole recording. `name` keeps
// the series whose names begin with it; "": all. FailedPrecondition: the
// profile has no memory; the message says how to record it. NotFound: no such
// series.
absl::StatusOr<MemoryChart> MakeMemoryChart(views::Views& views, int64_t step,
                                            std::string_view name);

// The tables series, holders, operations and curve, and of a memory snapshot
// summary, pools, segments, leaks, growth and ooms. The curve points into the
// chart.
tables::DataDocument MemoryDocument(const MemoryChart& chart);

// At most `look.height` lines (0: as many as it needs) of `look.page()`
// columns.
std::string MemoryText(const MemoryChart& chart, const tables::TextLook& look);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_MEMORY_H_
