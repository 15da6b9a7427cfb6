#include "advisor/weigh.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "timeline/account/step_wall.h"
#include "timeline/activity.h"
#include "util/arithmetic.h"

namespace tfprof::advisor {
namespace {

// The longest usual step until its devices are done, or the average of all if
// few slow steps make that longer: no average over any choice of usual steps is
// above it. The recording, if no step has a time. In microseconds, 0 if it is
// not known.
int64_t StepMicros(views::Views& views) {
  const std::vector<timeline::StepWall> walls = timeline::StepWalls(views);
  const double usual =
      timeline::kOddStep * static_cast<double>(timeline::MedianWall(walls));
  int64_t sum = 0, steps = 0, longest = 0;
  for (const timeline::StepWall& wall : walls) {
    if (!wall.known) continue;
    sum = util::SaturatingAdd(sum, wall.done);
    ++steps;
    if (static_cast<double>(wall.ticks) <= usual) {
      longest = std::max(longest, wall.done);
    }
  }
  if (steps > 0) return views.profile().Micros(std::max(sum / steps, longest));
  const auto everything = views.Kept<timeline::Activities>().Everything();
  for (const timeline::ClockActivity& clock : everything->clocks) {
    sum = std::max(sum, clock.length);
  }
  return views.profile().Micros(sum);
}

}  // namespace

void LimitSavings(views::Views& views, Advice& advice) {
  constexpr int64_t kLeastCritical = 4;   // a quarter of the wall time
  constexpr int64_t kLeastWarning = 100;  // a hundredth
  std::optional<int64_t> wall;
  for (Advice::Section& section : advice.sections) {
    for (Finding& f : section.findings) {
      if (f.saving_micros <= 0) continue;
      if (!wall) wall = StepMicros(views);
      if (*wall <= 0) return;
      // The time between steps is in no step.
      if (f.rule != "between_steps") {
        f.saving_micros = std::min(f.saving_micros, *wall);
      }
      if (f.severity == Finding::Severity::kCritical &&
          f.saving_micros < *wall / kLeastCritical) {
        f.severity = Finding::Severity::kWarning;
      }
      if (f.severity == Finding::Severity::kWarning &&
          f.saving_micros < *wall / kLeastWarning) {
        f.severity = Finding::Severity::kInfo;
      }
    }
  }
}

namespace {

// Rules that report one loss: the first is dropped if the second explains at
// least a share of it, for the same subject or for the whole recording.
struct SameLoss {
  std::string_view dropped;
  std::string_view by;
  double share = 0.5;
  bool any_subject = false;  // the subjects are of different kinds
};
constexpr SameLoss kSameLosses[] = {
    {"compilation", "recompilation"},
    {"compilation", "compiles_in_steps"},
    {"short_kernels", "launch_bound"},
    // The host waits for its copies.
    {"synchronization", "small_copies", 0.9},
    // An operation of input, and the device that waits for it.
    {"input_gaps", "input_wait", 0.5, /*any_subject=*/true},
};

}  // namespace

void DropDoubles(Advice& advice) {
  const auto explains = [&](const Finding& dropped, const SameLoss& loss) {
    const double least =
        loss.share * static_cast<double>(dropped.saving_micros);
    for (const Advice::Section& section : advice.sections) {
      for (const Finding& f : section.findings) {
        if (f.rule == loss.by && f.severity >= Finding::Severity::kWarning &&
            (loss.any_subject || f.subject.empty() ||
             f.subject == dropped.subject) &&
            static_cast<double>(f.saving_micros) >= least &&
            f.saving_micros > 0) {
          return true;
        }
      }
    }
    return false;
  };
  for (Advice::Section& section : advice.sections) {
    std::erase_if(section.findings, [&](const Finding& f) {
      return std::ranges::any_of(kSameLosses, [&](const SameLoss& loss) {
        return f.rule == loss.dropped && explains(f, loss);
      });
    });
  }
}

}  // namespace tfprof::advisor
