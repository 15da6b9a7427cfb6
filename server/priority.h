// Training comes first: what answers questions about a program that runs gives
// way to it, and to everything else on the machine, when cores are few.
//
// Priorities are those of Linux ("nice" values). Only the lowest one is set,
// which is always allowed. A kernel that refuses changes nothing: answers are
// then as slow and as fast as before.

#ifndef TFPROF_SERVER_PRIORITY_H_
#define TFPROF_SERVER_PRIORITY_H_

namespace tfprof {

// The calling thread, and threads that it starts from now on.
void LowerThread();

// Kernels that group processes by terminal (autogroup) compare the priorities
// of threads inside of a group only. This lowers the group of this process if
// it leads one, as a server does that a training program has started; a shell
// and its other children are left alone.
void LowerOwnGroup();

}  // namespace tfprof

#endif  // TFPROF_SERVER_PRIORITY_H_
