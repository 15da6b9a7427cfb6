#include "timeline/ranks/late_ranks.h"

#include <algorithm>
#include <limits>

#include "timeline/ranks/matched_events.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {

profile::ProcessId RankOf(const profile::Profile& profile,
                          profile::ProcessId process) {
  if (process == profile::kNone) return profile::kNone;
  const profile::Process& of = profile.lanes().process(process);
  const bool is_unknown = of.name.empty() && of.rank < 0 && of.process_id < 0;
  return of.parameter_server || is_unknown ? profile::kNone : process;
}

std::vector<profile::ProcessId> RanksOfLanes(const profile::Profile& profile) {
  const profile::LaneTable& lanes = profile.lanes();
  std::vector<profile::ProcessId> ranks;
  ranks.reserve(lanes.size());
  for (profile::LaneId lane = 0; lane < lanes.size(); ++lane) {
    ranks.push_back(RankOf(profile, lanes[lane].process));
  }
  return ranks;
}

std::vector<RankWait> FindRankWaits(const profile::Profile& profile,
                                    const std::vector<size_t>& group,
                                    const std::vector<uint32_t>& rank_of_lane,
                                    const ClockOffsets& clocks) {
  std::vector<RankWait> waits;
  for (const MatchedCollective& of :
       MatchCollectives(profile, group, rank_of_lane)) {
    int64_t last = std::numeric_limits<int64_t>::min();
    profile::ProcessId late = profile::kNone;
    for (const MatchedCollective::Part& part : of.parts) {
      const int64_t start = util::WrapAdd(part.start, clocks.OfLane(part.lane));
      if (start <= last && late != profile::kNone) continue;
      last = start;
      late = part.who;
    }
    for (const MatchedCollective::Part& part : of.parts) {
      const int64_t until =
          std::min(util::WrapSub(last, clocks.OfLane(part.lane)), part.end);
      waits.push_back({.process = part.who,
                       .lane = part.lane,
                       .late = late,
                       .time = {part.start, std::max(part.start, until)}});
    }
  }
  return waits;
}

}  // namespace tfprof::timeline
