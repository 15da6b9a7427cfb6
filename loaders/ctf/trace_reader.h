// TraceContents: all that the events of a CTF trace say. TraceReader: reads the
// contents of a loaded trace again when somebody asks for more than its profile
// holds.
//
// The contents of a large trace are larger than its profile, so nobody keeps
// them. Errors name a file of the trace and what to do.

#ifndef TFPROF_LOADERS_CTF_TRACE_READER_H_
#define TFPROF_LOADERS_CTF_TRACE_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/counter_file.h"
#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/attribution.h"
#include "loaders/ctf/model/host_clocks.h"
#include "loaders/ctf/model/kernel_counts.h"
#include "loaders/ctf/packets/trace_files.h"
#include "loaders/import_log.h"
#include "util/cancellation.h"

namespace tfprof::ctf {

struct TraceContents {
  TraceFiles files;
  TraceFacts facts;
  Attribution attribution;
  std::vector<HostClock> hosts;
  CountedKernels counted;
};

// Reads the contents of the opened `files`, and matches the counters of kernels
// in files beside the trace. `cancellation` may be null; CANCELLED after its
// request.
absl::StatusOr<TraceContents> ReadContents(
    TraceFiles files, const std::vector<CounterFile>& counter_files,
    const Cancellation* cancellation, ImportLog& log);

class TraceReader {
 public:
  // The trace with these files `metadata`, which had `num_events` events, and
  // the counter files that were loaded with it.
  TraceReader(std::vector<std::string> metadata_paths, uint64_t num_events,
              std::vector<CounterFile> counter_files);

  // FAILED_PRECONDITION: the trace has another number of events now.
  absl::StatusOr<TraceContents> Read(const Cancellation* cancellation) const;

  const std::vector<CounterFile>& counter_files() const {
    return counter_files_;
  }

 private:
  const std::vector<std::string> metadata_paths_;
  const uint64_t num_events_;
  const std::vector<CounterFile> counter_files_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_TRACE_READER_H_
