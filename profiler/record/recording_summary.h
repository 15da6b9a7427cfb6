// A summary of the folder of a recording, from the heads of its packets: no
// event is read, so that the end of a long recording is quick.

#ifndef TFPROF_PROFILER_RECORD_RECORDING_SUMMARY_H_
#define TFPROF_PROFILER_RECORD_RECORDING_SUMMARY_H_

#include <cstdint>
#include <string>

namespace tfprof::recording {

struct RecordingSummary {
  uint64_t processes = 0;
  uint64_t failed_processes = 0;  // no file could be written for them
  uint64_t threads = 0;
  uint64_t events = 0;
  uint64_t discarded = 0;  // events that were dropped
  uint64_t bytes = 0;      // of events and metadata
};

// Files that are no packets, or cannot be read, are left out.
RecordingSummary SummarizeTrace(const std::string& folder);

}  // namespace tfprof::recording

#endif  // TFPROF_PROFILER_RECORD_RECORDING_SUMMARY_H_
