// The activity of each device in a step as numbers: how long it computed,
// communicated and copied, how much communication was exposed, and why it was
// idle.
//
//   DeviceFigures figures(views);
//   for (const DeviceFigure& device : figures.Of(step)) …
//
// Wall, busy, compute, communication, copies and idle are defined in
// step_split.h; each is a union of intervals. Overlap is the time in which the
// device computes and communicates; exposed communication is the rest of the
// communication. The idle time of an accelerator is divided as in
// timeline/device_metrics.h: waiting (work was launched, and had not begun),
// host bound (nothing was launched, or the host worked for the device), other
// (unknown, or before its first or after its last run). Times are ticks of the
// profile.

#ifndef TFPROF_INSPECT_DEVICES_DEVICE_FIGURES_H_
#define TFPROF_INSPECT_DEVICES_DEVICE_FIGURES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "inspect/steps/step_split.h"
#include "timeline/device_metrics.h"
#include "timeline/intervals.h"
#include "views/views.h"

namespace tfprof::inspect {

struct IdleParts {
  int64_t waiting = 0;
  int64_t host_bound = 0;
  int64_t other = 0;
};

struct DeviceFigure {
  DeviceSplit split;
  int64_t overlap = 0;
  // Why it was idle; nullopt for a host, for which this is unknown.
  std::optional<IdleParts> idle;

  int64_t exposed() const { return split.communication - overlap; }
};

class DeviceFigures {
 public:
  explicit DeviceFigures(views::Views& views);

  // In the order of SplitStep(). `step` must be a step of the profile.
  std::vector<DeviceFigure> Of(const profile::Step& step);

 private:
  struct OfUnit {
    timeline::Intervals busy;
    timeline::IdleTime idle;
  };

  views::Views& views_;
  std::map<uint32_t, OfUnit> of_unit_;
};

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_DEVICE_FIGURES_H_
