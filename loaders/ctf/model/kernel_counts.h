// Finds the kernel that each set of counters of a trace belongs to.
//
// Interception libraries record a set when a kernel was counted: its geometry,
// then a value for each counter. A set names the object of its kernel. The
// packets that launch kernels, and the kernels themselves, give the name of an
// object. If there are as many sets as kernels of a name, the k-th set belongs
// to the k-th kernel; likewise for launches. So sets and kernels may come from
// two runs of a program: one that counted, and one that measured time.
//
// Counters in a file beside the trace (loaders/counters) are in the order of
// launches, and belong to kernels in the same way.

#ifndef TFPROF_LOADERS_CTF_MODEL_KERNEL_COUNTS_H_
#define TFPROF_LOADERS_CTF_MODEL_KERNEL_COUNTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "loaders/core/counter_file.h"
#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/attribution.h"

namespace tfprof::ctf {

// A kernel with counters.
struct CountedKernel {
  uint32_t activity = profile::kNone;  // in TraceFacts::activities
  uint32_t op = profile::kNone;        // of its launch, in TraceFacts::ops
  std::string name;                    // of the kernel
  // The index in TraceFacts::counter_sets, or the indexes of a file and a row.
  uint32_t set = profile::kNone;
  uint32_t file = profile::kNone, row = profile::kNone;
};

struct CountedKernels {
  std::vector<CountedKernel> kernels;  // by begin, if known
  // Sets and rows without a known kernel, because their numbers differ.
  uint64_t sets_without_kernel = 0;
  uint64_t rows_without_kernel = 0;
};

// Returns the name of the kernel of a set, from its launch or else from the
// kernel; kNone if neither has it.
profile::StringId NameOfObject(const TraceFacts& facts, const CounterSet& set);

CountedKernels MatchCounters(const TraceFacts& facts,
                             const Attribution& attribution,
                             const std::vector<loaders::CounterFile>& files);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_KERNEL_COUNTS_H_
