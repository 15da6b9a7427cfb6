// KernelRuns: which kernels of a GPU's stream belong to one execution of an
// operation.
//
// One execution may start several kernels: attention is a fill, a product and
// a conversion. No id in the file joins them, but a stream works in order. So
// the kernels of an operation that follow each other on a stream, without a
// kernel of another operation between, are one execution, unless their names
// repeat: "a b a b" are two executions of "a b", and "a a a" are three of "a".
// The last of them may be cut off by the end of the recording: "a b c a" are
// two. So an execution that starts one kernel several times and nothing else
// counts once for each.
//
// Kernels that belong to no operation, and copies, are between them without
// parting them. Linear in the number of kernels; any thread may call it.

#ifndef TFPROF_LOADERS_XPLANE_KERNEL_RUNS_H_
#define TFPROF_LOADERS_XPLANE_KERNEL_RUNS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "loaders/xplane/file_line.h"

namespace tfprof {

// The number of the first names that repeat until the end, where they may be
// cut off: 2 for "a b a b a". The size of `names` if they do not repeat.
size_t PeriodOf(std::span<const uint32_t> names);

// The events of a line, ascending, that are kernels of an execution which an
// earlier kernel began; none, if it is no stream. The targets of the line have
// their nodes.
std::vector<uint32_t> LaterKernels(const FileLine& line);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_KERNEL_RUNS_H_
