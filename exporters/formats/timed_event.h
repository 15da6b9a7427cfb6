// What a file for a program that shows time says about an execution, whatever
// the format of the file is.

#ifndef TFPROF_EXPORTERS_FORMATS_TIMED_EVENT_H_
#define TFPROF_EXPORTERS_FORMATS_TIMED_EVENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "timeline/tracks.h"

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

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_FORMATS_TIMED_EVENT_H_
