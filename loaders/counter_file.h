// CounterFile: the counters of kernels from a file beside a trace, before a
// loader of traces has found the kernels that they belong to.

#ifndef TFPROF_LOADERS_COUNTER_FILE_H_
#define TFPROF_LOADERS_COUNTER_FILE_H_

#include <string>
#include <vector>

namespace tfprof {

struct CounterFile {
  struct Kernel {
    std::string name;
    std::vector<double> values;      // by counter; NaN: none
    std::vector<std::string> cells;  // the row as it is in the file
  };

  std::string path;
  std::vector<std::string> counters;  // their names
  std::vector<Kernel> kernels;        // in the order of their launches
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_COUNTER_FILE_H_
