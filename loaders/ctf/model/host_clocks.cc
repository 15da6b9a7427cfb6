#include "loaders/ctf/model/host_clocks.h"

#include <algorithm>

namespace tfprof::ctf {

std::vector<HostClock> CompareHosts(const TraceFacts& facts) {
  std::vector<profile::StringId> hosts;
  for (const ProcessFacts& process : facts.processes) {
    if (std::find(hosts.begin(), hosts.end(), process.host) == hosts.end()) {
      hosts.push_back(process.host);
    }
  }
  std::vector<HostClock> clocks;
  for (size_t h = 1; h < hosts.size(); ++h) {
    HostClock clock = {hosts[h], hosts[0], {}, 0, 0};
    std::vector<RoundTrip> forth, back;
    for (const Request& request : facts.transfers.requests) {
      const int64_t seen = request.seen();
      if (request.client == profile::kNone ||
          request.server == profile::kNone || !request.answered() ||
          request.prepare_end == Request::kNoTime || seen == Request::kNoTime) {
        continue;
      }
      const RoundTrip trip = {request.client_begin, seen, request.prepare_end,
                              request.client_end};
      const profile::StringId client = facts.processes[request.client].host;
      const profile::StringId server = facts.processes[request.server].host;
      if (client == hosts[0] && server == hosts[h]) {
        forth.push_back(trip);
      } else if (client == hosts[h] && server == hosts[0]) {
        back.push_back(trip);
      } else {
        continue;
      }
      clock.violations += request.violates_causality();
    }
    clock.requests = forth.size() + back.size();
    clock.bounds = BoundHosts(forth, back);
    clocks.push_back(clock);
  }
  return clocks;
}

}  // namespace tfprof::ctf
