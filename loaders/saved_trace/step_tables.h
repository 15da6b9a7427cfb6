// The tables of a saved trace with rows for a step of a process: phases of
// inference, and replays of graphs. The functions return false for damage: a
// process or phase that does not exist, or columns of different sizes.

#ifndef TFPROF_LOADERS_SAVED_TRACE_STEP_TABLES_H_
#define TFPROF_LOADERS_SAVED_TRACE_STEP_TABLES_H_

#include <cstddef>
#include <string_view>

#include "profile/profile_builder.h"

namespace tfprof::saved_trace {

bool AddPhases(std::string_view bytes, size_t num_processes,
               profile::ProfileBuilder& builder);
bool AddReplays(std::string_view bytes, size_t num_processes,
                profile::ProfileBuilder& builder);

}  // namespace tfprof::saved_trace

#endif  // TFPROF_LOADERS_SAVED_TRACE_STEP_TABLES_H_
