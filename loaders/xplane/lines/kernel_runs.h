// KernelRuns: which kernels on a GPU stream belong to the same execution of an
// operation.
//
// One execution may start several kernels: attention is a fill, a product and a
// conversion. No id in the file joins them, but a stream works in order. So
// consecutive kernels of an operation, without a kernel of another operation
// between them, are one execution, unless their names repeat: "a b a b" are two
// executions of "a b", and "a a a" are three of "a". The end of the recording
// may cut off the last execution: "a b c a" are two. So an execution that
// really starts one kernel several times, and nothing else, is counted once for
// each kernel.
//
// Kernels without an operation, and copies, do not separate kernels. Takes
// linear time; any thread may call it.

#ifndef TFPROF_LOADERS_XPLANE_LINES_KERNEL_RUNS_H_
#define TFPROF_LOADERS_XPLANE_LINES_KERNEL_RUNS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "loaders/xplane/lines/file_line.h"

namespace tfprof::xplane {

// Returns the length of the prefix of `names` that repeats until the end, where
// it may be cut off: 2 for "a b a b a". The size of `names` if they do not
// repeat.
size_t PeriodOf(std::span<const uint32_t> names);

// Returns the events of a line, ascending, that are kernels of an execution
// which an earlier kernel began. Empty if the line is not a stream. The targets
// of the line must have their nodes.
std::vector<uint32_t> LaterKernels(const FileLine& line);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_LINES_KERNEL_RUNS_H_
