// Lowers the priority of threads: a server that answers questions about a
// running program must not slow it down when there are few cores.
//
// Priorities are nice values of Linux. Only the lowest priority is set, which
// is always allowed. If the kernel refuses, nothing changes.

#ifndef TFPROF_SERVER_LIVE_PRIORITY_H_
#define TFPROF_SERVER_LIVE_PRIORITY_H_

namespace tfprof::server {

// Lowers the calling thread and threads that it starts later.
void LowerThread();

// Kernels that group processes by terminal (autogroup) compare priorities of
// threads only within a group. This lowers the group of this process if the
// process leads one, as a server that a training program has started does. A
// shell and its other children are not affected.
void LowerOwnGroup();

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_LIVE_PRIORITY_H_
