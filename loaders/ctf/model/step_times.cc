#include "loaders/ctf/model/step_times.h"

#include <algorithm>

#include "loaders/nodes/open_at.h"
#include "profile/steps/step.h"
#include "util/arithmetic.h"

namespace tfprof::ctf {
StepTimes::StepTimes(const TraceFacts& facts,
                     const std::vector<HostClock>& hosts)
    : facts_(facts) {
  for (const HostClock& clock : hosts) {
    if (clock.bounds.known()) lead_[clock.host] = clock.bounds;
  }
  sessions_.resize(facts_.processes.size() + 1);
  for (const SessionRun& session : facts_.sessions) {
    SessionRun moved = session;
    moved.begin = Moved(session.process, session.begin);
    moved.end = Moved(session.process, session.end);
    sessions_[session.process].push_back(moved);
    sessions_.back().push_back(moved);  // the sessions of all processes
    steps_.insert(session.count);
    by_count_.insert({session.process, session.count});
  }
  for (std::vector<SessionRun>& sessions : sessions_) {
    std::stable_sort(sessions.begin(), sessions.end(),
                     [](const SessionRun& a, const SessionRun& b) {
                       return a.begin < b.begin;
                     });
  }
  if (facts_.sessions.empty()) steps_.insert(0);
}

int64_t StepTimes::Moved(uint32_t process, int64_t time) const {
  const auto it = lead_.find(facts_.processes[process].host);
  return it == lead_.end() ? time
                           : util::WrapSub(time, it->second.ShiftAt(time));
}

int64_t StepTimes::StepAt(uint32_t process, int64_t time) {
  if (facts_.sessions.empty()) return 0;
  const auto& of_process = sessions_[process];
  const auto& sessions = of_process.empty() ? sessions_.back() : of_process;
  if (const SessionRun* const open = loaders::OpenAt(
          sessions, time, &SessionRun::begin, &SessionRun::end)) {
    return open->count;
  }
  steps_.insert(profile::kOutsideSteps);
  return profile::kOutsideSteps;
}

}  // namespace tfprof::ctf
