// Status: what is loaded, from which files, what was met there, and what it
// costs.

#ifndef TFPROF_PROFILER_COMMANDS_STATUS_H_
#define TFPROF_PROFILER_COMMANDS_STATUS_H_

#include <string>

#include "loaders/load.h"
#include "tables/data_table.h"

namespace tfprof {

// Facts: the sizes of the profile. Tables: inputs, memory, met.
DataDocument StatusDocument(const Loaded& loaded);

// The same as lines.
std::string StatusText(const Loaded& loaded);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_STATUS_H_
