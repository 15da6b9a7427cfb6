// CounterFile: the counters of kernels, read from a file beside a trace. It is
// kept until the loader of the trace has found the kernels that the counters
// belong to.

#ifndef TFPROF_LOADERS_CORE_COUNTER_FILE_H_
#define TFPROF_LOADERS_CORE_COUNTER_FILE_H_

#include <string>
#include <vector>

namespace tfprof::loaders {

struct CounterFile {
  struct Kernel {
    std::string name;
    std::vector<double> values;      // by counter; NaN: none
    std::vector<std::string> cells;  // the cells of the row, unchanged
  };

  std::string path;
  std::vector<std::string> counters;  // the names
  std::vector<Kernel> kernels;        // in launch order
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_COUNTER_FILE_H_
