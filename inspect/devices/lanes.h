// Lanes: the work of the devices over the time of a step, as intervals that can
// be drawn: the device, its kinds of work, and its lanes (streams, threads).
//
//   absl::StatusOr<LaneChart> chart = MakeLaneChart(views, step);
//   DataDocument document = LanesDocument(chart);    // with 100 slices of time
//   std::string text = LanesText(chart, look);       // one slice per column
//
// A device is busy when anything runs on it: the union of its executions, as in
// `devices -step N`. A slice is never busy for more than its length. In one
// step of a trace, work of other steps at the same time is marked separately:
// it is no gap. In TensorFlow 1, the host's launches for a GPU do not count as
// work of the GPU.
//
// Times are ticks of the profile. The chart begins at the start of the step, or
// at the first execution if that is earlier. Each task of TensorFlow 1 has its
// own clock and begins at its own start.

#ifndef TFPROF_INSPECT_DEVICES_LANES_H_
#define TFPROF_INSPECT_DEVICES_LANES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "tables/text_look.h"
#include "timeline/intervals.h"
#include "views/views.h"

namespace tfprof::inspect {

struct LaneChart {
  // A stream, a thread, or another name that a recorder uses for a device.
  struct Lane {
    std::string name;
    timeline::Intervals busy;
  };
  struct Device {
    std::string name = "";
    uint32_t unit = 0;  // in Activities::units()
    bool accelerator = false;
    int64_t origin = 0;  // start of the chart on the device's clock
    int64_t busy = 0;    // as in `devices`
    timeline::Intervals work =
        {};  // all of it, and its kinds, which may overlap
    timeline::Intervals compute = {};
    timeline::Intervals communication = {};
    timeline::Intervals copies = {};
    timeline::Intervals launches = {};
    timeline::Intervals other_steps = {};  // excludes `work`
    // The range that was recorded on the clock of the device.
    timeline::Intervals recorded = {};
    std::vector<Lane> lanes = {};  // the busiest first
  };
  // A time in which a device was idle.
  struct Gap {
    size_t device = 0;
    uint32_t unit = 0;  // of the device
    int64_t begin = 0;  // on the clock of the device
    int64_t start = 0;  // from the beginning of the chart
    int64_t length = 0;
    std::string before = "";  // the execution that ended then; "": none
    std::string after = "";   // the execution that began at its end
  };
  struct Mark {
    int64_t step = 0;
    int64_t start = 0;  // from the beginning of the chart
    int64_t end = 0;
  };

  int64_t ticks_per_micro = 1;
  int64_t step = 0;  // kAllSteps: everything in the file
  int64_t length = 0;
  std::vector<Device> devices;  // accelerators first, each kind by busy time
  // The longest gaps of the accelerators, or of all devices if there are none.
  std::vector<Gap> gaps;
  size_t num_gaps = 0;
  std::vector<Mark> marks;
  bool several_clocks = false;
};

// `step` is a listed step or kAllSteps; kAverageOfSteps means a typical step
// (timeline/account/step_wall.h), or everything if no step has a wall time.
// `device` keeps the device of that name, or the devices whose names end with
// it
// ("gpu:0" keeps "rank 1 gpu:0"); "": all. FailedPrecondition: no execution has
// a start and a length. NotFound: no such device did anything.
absl::StatusOr<LaneChart> MakeLaneChart(views::Views& views, int64_t step,
                                        std::string_view device);

// The same without lanes, and its gaps have no names. For who makes the charts
// of many steps: NameGaps names the gaps of all of them at once.
absl::StatusOr<LaneChart> MakeGapChart(views::Views& views, int64_t step);

// Sets `before` and `after` of the gaps. Reads all executions of the file once.
void NameGaps(views::Views& views, std::span<LaneChart::Gap* const> gaps);

// The tables lanes, slices and gaps.
inline constexpr size_t kDataSlices = 100;
tables::DataDocument LanesDocument(const LaneChart& chart);

// At most `look.height` lines (0: as many as it needs) of `look.page()`
// columns.
std::string LanesText(const LaneChart& chart, const tables::TextLook& look);

// The start of slice `i` of `n`, from the beginning of the chart.
int64_t SliceStart(const LaneChart& chart, size_t i, size_t n);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_LANES_H_
