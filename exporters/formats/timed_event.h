// What a file for a program that shows time says about an execution, whatever
// the format of the file is.

#ifndef TFPROF_EXPORTERS_FORMATS_TIMED_EVENT_H_
#define TFPROF_EXPORTERS_FORMATS_TIMED_EVENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/links.h"
#include "profile/profile.h"
#include "timeline/tracks.h"
#include "util/arithmetic.h"

namespace tfprof {

struct TimedEvent {
  // The op; of an execution of no node, its own name. Belongs to the profile.
  std::string_view name;
  // A moment, not a length of time.
  bool is_moment = false;
  // (key, value): the node, what its record says, the names and shapes of its
  // inputs, what a transfer moved.
  std::vector<std::pair<std::string_view, std::string>> arguments;
  // (name, text) of what the record says besides (Profile::Arguments).
  ArgumentList recorded;
  // (key, value) that are numbers.
  std::vector<std::pair<std::string_view, int64_t>> numbers;
};

TimedEvent DescribeEvent(const Profile& profile, const TrackEvent& event);

// When a step ran in a process, in ticks of the profile.
struct StepSpan {
  ProcessId process = kNone;
  int64_t step = 0;
  std::string_view name;  // the program's; "": it gave none
  int64_t start = 0;
  int64_t end = 0;

  int64_t length() const {
    return end <= start ? 0
           : start < 0  ? SaturatingAdd(end, WrapSub(0, start))
                        : end - start;
  }
};

// As the file says it, else from the first start to the last end in the step.
// By process and start.
std::vector<StepSpan> StepSpansOf(const Profile& profile,
                                  const std::vector<size_t>& steps,
                                  const Tracks& tracks);

// The places in Profile::steps() of a step; of all if it is below 0.
std::vector<size_t> PlacesOfSteps(const Profile& profile, int64_t step);

// What a file has, and what it lacks.
struct TraceContents {
  int64_t events = 0;
  int64_t arrows = 0;
  // Executions without a start cannot be shown.
  int64_t without_start = 0;
  // Records that repeat those of another device name.
  int64_t repeated = 0;
};

// The arrows of a picture: the links of the profile whose ends are in `steps`
// (places in Profile::steps()), or, where it has none, the dataflow of each
// step between different tracks.
std::vector<Link> ArrowsOf(const Profile& profile,
                           const std::vector<size_t>& steps,
                           const Tracks& tracks);

// The place of a step in Profile::steps(); kNone: there is none.
uint32_t PlaceOfStep(const Profile& profile, int64_t step);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_FORMATS_TIMED_EVENT_H_
