// Task names: the job of a task of a cluster.
//
// "/job:worker/replica:0/task:1", which DeviceRoles takes from a device's name,
// is a task of the job "worker". A device of a single machine may name no job.

#ifndef TFPROF_TIMELINE_TASK_NAME_H_
#define TFPROF_TIMELINE_TASK_NAME_H_

#include <string_view>

namespace tfprof {

// A view into `task`; "" when it names no job.
std::string_view JobOfTask(std::string_view task);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_TASK_NAME_H_
