// The outputs of `status` with the answers of old scripts (script_answers.h).
//
// The profile does not hold what they are made of, so each reads the trace
// again when it is asked for.

#ifndef TFPROF_LOADERS_CTF_SCRIPT_OUTPUTS_H_
#define TFPROF_LOADERS_CTF_SCRIPT_OUTPUTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "loaders/counter_file.h"
#include "loaders/trace_report.h"

namespace tfprof::ctf {

// Adds the scripts of the trace with these files `metadata`, which had
// `num_events` events, and of the counter files that were loaded with it.
void AddScripts(const std::vector<std::string>& metadata_paths,
                uint64_t num_events,
                std::shared_ptr<const std::vector<CounterFile>> counter_files,
                TraceReport& report);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_SCRIPT_OUTPUTS_H_
