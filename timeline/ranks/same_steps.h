// Finds which steps of a profile belong to one step of a distributed run.
//
// Most formats give a step the same number in all processes. A session of
// traces has a separate step for each trace and rank, but the steps of one
// execution have the same name (profile/steps/step_intervals.h). Steps belong
// together if their names are equal and no process computes in two of them.
// Parameter servers are in the steps of all processes that they serve.

#ifndef TFPROF_TIMELINE_RANKS_SAME_STEPS_H_
#define TFPROF_TIMELINE_RANKS_SAME_STEPS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace tfprof::timeline {

// Divides `steps` (indexes in Profile::steps()) into groups that belong
// together. Groups are in the order of their first steps, and keep the given
// order.
std::vector<std::vector<size_t>> GroupSameSteps(
    const profile::Profile& profile, const std::vector<size_t>& steps);

// Returns the step's name in the input, such as "run 3, count 57", or "".
std::string StepName(const profile::Profile& profile,
                     const profile::Step& step);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_SAME_STEPS_H_
