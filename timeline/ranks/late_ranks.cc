#include "timeline/ranks/late_ranks.h"

#include <algorithm>
#include <limits>

#include "timeline/ranks/matched_events.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {
namespace {

// Returns whether each of the uncertain collectives is one: no participant
// leaves it before all are in it. Sends and receives of a pipeline are not.
bool AllOverlap(const std::vector<MatchedCollective>& matched,
                const ClockOffsets& clocks) {
  return std::ranges::all_of(matched, [&](const MatchedCollective& of) {
    if (of.certain) return true;
    int64_t last_start = std::numeric_limits<int64_t>::min();
    int64_t first_end = std::numeric_limits<int64_t>::max();
    for (const MatchedCollective::Part& part : of.parts) {
      const int64_t offset = clocks.OfLane(part.lane);
      last_start = std::max(last_start, util::WrapAdd(part.start, offset));
      first_end = std::min(first_end, util::WrapAdd(part.end, offset));
    }
    return last_start <= first_end;
  });
}

}  // namespace

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
  const std::vector<MatchedCollective> matched =
      MatchCollectives(profile, group, rank_of_lane);
  const bool exchange = AllOverlap(matched, clocks);
  for (const MatchedCollective& of : matched) {
    if (!of.certain && !exchange) continue;
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
