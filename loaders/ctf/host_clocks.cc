#include "loaders/ctf/host_clocks.h"

#include <algorithm>

namespace tfprof::ctf {

std::vector<HostClock> CompareHosts(const TraceFacts& facts) {
  std::vector<StringId> hosts;
  for (const ProcessFacts& process : facts.processes) {
    if (std::find(hosts.begin(), hosts.end(), process.host) == hosts.end()) {
      hosts.push_back(process.host);
    }
  }
  std::vector<HostClock> clocks;
  for (size_t h = 1; h < hosts.size(); ++h) {
    HostClock clock = {hosts[h], hosts[0], {}, 0, 0};
    std::vector<RoundTrip> forth, back;
    for (const Request& request : facts.requests) {
      constexpr int64_t kNoTime = Activity::kNoTime;
      if (request.client == kNone || request.server == kNone ||
          request.client_begin == kNoTime || request.client_end == kNoTime ||
          request.prepare_end == kNoTime) {
        continue;
      }
      const int64_t seen = request.server_seen != kNoTime
                               ? request.server_seen
                               : request.prepare_begin;
      if (seen == kNoTime) continue;
      const RoundTrip trip = {request.client_begin, seen, request.prepare_end,
                              request.client_end};
      const StringId client = facts.processes[request.client].host;
      const StringId server = facts.processes[request.server].host;
      if (client == hosts[0] && server == hosts[h]) {
        forth.push_back(trip);
      } else if (client == hosts[h] && server == hosts[0]) {
        back.push_back(trip);
      } else {
        continue;
      }
      clock.violations +=
          trip.seen < trip.sent || trip.received < trip.answered;
    }
    clock.requests = forth.size() + back.size();
    clock.bounds = BoundHosts(forth, back);
    clocks.push_back(clock);
  }
  return clocks;
}

}  // namespace tfprof::ctf
