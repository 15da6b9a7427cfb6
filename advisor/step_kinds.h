// Kinds of steps: only steps that ran the same nodes can be compared. A step
// that initializes or evaluates is not a slow training step.

#ifndef TFPROF_ADVISOR_STEP_KINDS_H_
#define TFPROF_ADVISOR_STEP_KINDS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "timeline/account/account.h"
#include "timeline/account/step_wall.h"
#include "views/views.h"

namespace tfprof::advisor {

// The number of nodes in both steps, divided by the number in at least one.
double NodesInCommon(const profile::Step& a, const profile::Step& b);

// The listed steps that share at least `same_nodes` of their nodes with a
// typical step, which is the median by number of nodes. Only steps with
// executions are included, in the order of their numbers.
std::vector<const profile::Step*> StepsOfAKind(const profile::Profile& profile,
                                               double same_nodes);

// The node whose time differs most between `slow` and `usual`, in microseconds;
// kNone if no node takes more in `slow`. While the host waits for accelerators,
// its calls also take longer: nodes that only wait are left out, and a node of
// an accelerator is preferred if its difference is at least half of the
// largest.
struct NodeDifference {
  int64_t micros = 0;
  profile::NodeId node = profile::kNone;
};
NodeDifference LargestDifference(const profile::Profile& profile,
                                 const profile::Step& slow,
                                 const profile::Step& usual);

// If a device runs the same kernels as often as before, and nearly all of them
// take the same factor longer, returns that factor; otherwise 0. So does a
// clock that goes down; larger tensors do not make all kernels slower alike.
double SlowerClock(const timeline::DeviceAccount& from,
                   const timeline::DeviceAccount& to);

// Why a step takes longer than a usual one.
struct StepCause {
  // "waiting for input: 4ms more than in step 3, next_batch"; "" if unknown.
  std::string text;
  std::string advice;  // what to do; "" if it depends on the operation
  bool known = false;  // the file says what took the time
  bool waits = false;  // for another rank, and the step does not say why
  // It is an evaluation, or has larger inputs: the step does more work.
  bool on_purpose = false;
  // The node that takes longer; kNone: the cause is none.
  profile::NodeId node = profile::kNone;
};

// Compares the accounts of both steps (timeline/account/account.h): the part
// that grew most, if it explains half of the additional time; else the node
// that takes longer.
StepCause CauseOfSlowStep(views::Views& views, const profile::Step& slow,
                          const profile::Step& usual, int64_t more_ticks);

// How long each of these steps takes beyond `usual` on average of the
// processes, added up, in ticks. A rank that is late ends its step late, and
// those that wait for it the next one: the longest time of each would count
// twice.
int64_t TimeAbove(const profile::Profile& profile,
                  std::span<const timeline::StepWall> steps, int64_t usual);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_STEP_KINDS_H_
