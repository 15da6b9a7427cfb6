// Which steps of a profile are one step of a distributed run.
//
// Most formats give a step of several processes one number. A session of traces
// has a step for each trace, and each rank has its own: those of the same
// execution of the same run have one name (profile/step_intervals.h). Steps are
// one step if their names are equal and no process that computes is in two of
// them. Parameter servers are in the steps of all that they serve.

#ifndef TFPROF_TIMELINE_SAME_STEPS_H_
#define TFPROF_TIMELINE_SAME_STEPS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace tfprof {

// `steps` (places in Profile::steps()), divided into those that are one step,
// each as given, in the order of their first ones.
std::vector<std::vector<size_t>> GroupSameSteps(
    const Profile& profile, const std::vector<size_t>& steps);

// What the input calls a step: "run 3, count 57"; "": it does not say it.
std::string StepName(const Profile& profile, const Step& step);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_SAME_STEPS_H_
