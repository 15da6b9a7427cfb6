// Which kernel each set of counters of a trace belongs to.
//
// Interception libraries tell a set when a kernel was counted: its geometry,
// then a value for each counter. A set names the object of its kernel; the
// packets that launch kernels, and the kernels themselves, say the name of an
// object. The k-th set of a name belongs to the k-th kernel of that name, and
// to its k-th launch, if there are as many of both. So sets and kernels may be
// of two runs of a program: one that counted, one that took the time.
//
// Counters of a file beside the trace (loaders/counters) belong to kernels in
// the same way: they are in the order of launches.

#ifndef TFPROF_LOADERS_CTF_MODEL_KERNEL_COUNTS_H_
#define TFPROF_LOADERS_CTF_MODEL_KERNEL_COUNTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "loaders/counter_file.h"
#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/attribution.h"

namespace tfprof::ctf {

// A kernel with counters.
struct CountedKernel {
  uint32_t activity = kNone;  // in TraceFacts::activities
  uint32_t op = kNone;        // of its launch, in TraceFacts::ops
  std::string name;           // of the kernel
  // The index in TraceFacts::counter_sets, or those of a file and its kernel.
  uint32_t set = kNone;
  uint32_t file = kNone, row = kNone;
};

struct CountedKernels {
  std::vector<CountedKernel> kernels;  // by their begins, as far as known
  // Sets and rows whose kernel is not known: other numbers of both.
  uint64_t sets_without_kernel = 0;
  uint64_t rows_without_kernel = 0;
};

// The name of the kernel of a set: what was launched, or else what ran; kNone:
// nothing says it.
StringId NameOfObject(const TraceFacts& facts, const CounterSet& set);

CountedKernels MatchCounters(const TraceFacts& facts,
                             const Attribution& attribution,
                             const std::vector<CounterFile>& files);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_KERNEL_COUNTS_H_
