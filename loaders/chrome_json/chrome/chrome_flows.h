// ChromeFlows: turns the arrows of a chrome trace into links between
// executions.
//
// Each end of an arrow is bound to a slice of its track: the innermost slice
// around its time, or the next one that starts (ChromeFlowPoint::to_next). The
// ends with one id are linked in the order of time. An end without a slice is
// dropped and counted. Owns no events; times are in nanoseconds.

#ifndef TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_FLOWS_H_
#define TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_FLOWS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "loaders/chrome_json/chrome/chrome_events.h"
#include "loaders/nodes/nesting.h"
#include "profile/profile_builder.h"

namespace tfprof::chrome_json {

class ChromeFlows {
 public:
  // `events` must outlive this.
  explicit ChromeFlows(const ChromeEvents& events);

  // Binds the points of a track to its slices, their nesting, and the records
  // of the executions that they became.
  void BindTrack(uint32_t track, std::span<const ChromeSlice> slices,
                 const loaders::Nesting& nesting,
                 std::span<const profile::RecordRef> records);

  // Adds the links to the builder after its steps are finished. Returns the
  // number of ends without a slice.
  int64_t AddLinks(profile::ProfileBuilder& builder) const;

 private:
  std::span<const ChromeFlowPoint> points_;
  std::vector<uint32_t> by_track_;          // points, in ascending track
  std::vector<profile::RecordRef> record_;  // by point; kNoRecord: not bound
};

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_FLOWS_H_
