// StepTimes: times on the clock of the first host, and the steps in which they
// are. Sessions are steps; without sessions everything is step 0.

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
  // The facts outlive it.
  StepTimes(const TraceFacts& facts, const std::vector<HostClock>& hosts);

  // A time of a process on the clock of the first host.
  int64_t Moved(uint32_t process, int64_t time) const;
  // The session of a process that is open at a time, which is on the clock of
  // the first host; that of any process if this one has none. The last that
  // began counts. kOutsideSteps: none is open.
  int64_t StepAt(uint32_t process, int64_t time);
  bool HasSession(uint32_t process, int64_t count) const {
    return by_count_.contains({process, count});
  }
  // The steps of the sessions, and kOutsideSteps if StepAt() has returned it.
  const std::set<int64_t>& steps() const { return steps_; }

 private:
  const TraceFacts& facts_;
  std::map<StringId, ClockBounds> lead_;           // by host
  std::vector<std::vector<SessionRun>> sessions_;  // by process, and all
  std::set<int64_t> steps_;
  std::set<std::pair<uint32_t, int64_t>> by_count_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_STEP_TIMES_H_
