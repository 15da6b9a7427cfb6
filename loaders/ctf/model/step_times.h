// StepTimes: converts times to the clock of the first host, in nanoseconds, and
// finds the step of a time. Sessions are steps; without sessions everything is
// in step 0. The facts must outlive it.

#ifndef TFPROF_LOADERS_CTF_MODEL_STEP_TIMES_H_
#define TFPROF_LOADERS_CTF_MODEL_STEP_TIMES_H_

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/host_clocks.h"

namespace tfprof::ctf {

class StepTimes {
 public:
  StepTimes(const TraceFacts& facts, const std::vector<HostClock>& hosts);

  // Converts a time of a process to the clock of the first host.
  int64_t Moved(uint32_t process, int64_t time) const;
  // Returns the session of a process that is open at a time on the clock of the
  // first host; if the process has no sessions, a session of any process. If
  // several are open, the last one that began. kOutsideSteps: none is open.
  int64_t StepAt(uint32_t process, int64_t time);
  bool HasSession(uint32_t process, int64_t count) const {
    return by_count_.contains({process, count});
  }
  // The steps of the sessions, plus kOutsideSteps if StepAt() has returned it.
  const std::set<int64_t>& steps() const { return steps_; }

 private:
  const TraceFacts& facts_;
  std::map<profile::StringId, ClockBounds> lead_;  // by host
  std::vector<std::vector<SessionRun>> sessions_;  // by process, then all
  std::set<int64_t> steps_;
  std::set<std::pair<uint32_t, int64_t>> by_count_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_STEP_TIMES_H_
