// What each device did in a step, in figures: how long it computed,
// communicated and copied, what of the communication nothing hid, and why it
// was idle.
//
//   DeviceFigures figures(views);
//   for (const DeviceFigure& device : figures.Of(step)) …
//
// Wall, busy, compute, communication, copies and idle are those of
// step_split.h, each a union of intervals. Overlap is the time in which the
// device computes and communicates; exposed communication is the rest of the
// communication. For an accelerator of a trace, idle time is divided as in
// timeline/trace_metrics.h: waiting (work was launched, and had not begun),
// host bound (nothing was launched), other (the file does not say which, or the
// time is before its first run or after its last). For one of TensorFlow 1, it
// is host bound while the host works for it, else other. Ticks of the profile.

#ifndef TFPROF_INSPECT_DEVICE_FIGURES_H_
#define TFPROF_INSPECT_DEVICE_FIGURES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "inspect/step_split.h"
#include "timeline/intervals.h"
#include "timeline/trace_metrics.h"
#include "views/views.h"

namespace tfprof {

struct IdleParts {
  int64_t waiting = 0;
  int64_t host_bound = 0;
  int64_t other = 0;
};

struct DeviceFigure {
  DeviceSplit split;
  int64_t overlap = 0;
  // Why it was idle; nullopt of a host: it is not known.
  std::optional<IdleParts> idle;

  int64_t exposed() const { return split.communication - overlap; }
};

class DeviceFigures {
 public:
  explicit DeviceFigures(Views& views);

  // In the order of SplitStep(). `step` is one of the profile.
  std::vector<DeviceFigure> Of(const Step& step);

 private:
  struct OfUnit {
    Intervals busy;
    IdleTime idle;
  };

  void AddTrace(const Step& step, DeviceFigure& figure);
  void AddTask(const Step& step, DeviceFigure& figure);

  Views& views_;
  std::map<uint32_t, OfUnit> of_unit_;
};

}  // namespace tfprof

#endif  // TFPROF_INSPECT_DEVICE_FIGURES_H_
