// The data of an execution in a file for a trace viewer, whatever its format.

#ifndef TFPROF_EXPORTERS_FORMATS_TIMED_EVENT_H_
#define TFPROF_EXPORTERS_FORMATS_TIMED_EVENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "timeline/tracks.h"

namespace tfprof::exporters {

struct TimedEvent {
  // The op, or the execution's own name if it belongs to no node. Points into
  // the profile.
  std::string_view name;
  // True for an instant, which has no duration.
  bool is_moment = false;
  // (key, value): the node, the record's text, the names and shapes of its
  // inputs, the data of a transfer.
  std::vector<std::pair<std::string_view, std::string>> arguments;
  // (name, text): the other data of the record (Profile::Arguments).
  profile::ArgumentList recorded;
  // (key, value) for numeric values.
  std::vector<std::pair<std::string_view, int64_t>> numbers;
};

TimedEvent DescribeEvent(const profile::Profile& profile,
                         const timeline::TrackEvent& event);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_TIMED_EVENT_H_
