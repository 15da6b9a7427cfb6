// TraceContents: everything in the events of a CTF trace. TraceReader: reads
// the contents of a loaded trace again when a command needs more than the
// profile holds.
//
// The contents of a large trace are larger than its profile, so they are not
// kept. Errors name a file of the trace and what to do.

#ifndef TFPROF_LOADERS_CTF_TRACE_READER_H_
#define TFPROF_LOADERS_CTF_TRACE_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/core/counter_file.h"
#include "loaders/core/import_log.h"
#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/attribution.h"
#include "loaders/ctf/model/host_clocks.h"
#include "loaders/ctf/model/kernel_counts.h"
#include "loaders/ctf/packets/trace_files.h"
#include "util/run/cancellation.h"

namespace tfprof::ctf {

struct TraceContents {
  TraceFiles files;
  TraceFacts facts;
  Attribution attribution;
  std::vector<HostClock> hosts;
  CountedKernels counted;
};

// Reads the contents of the opened `files`, and matches the counters of kernels
// from files beside the trace. `cancellation` may be null; returns CANCELLED
// after a cancellation.
absl::StatusOr<TraceContents> ReadContents(
    TraceFiles files, const std::vector<loaders::CounterFile>& counter_files,
    const util::Cancellation* cancellation, loaders::ImportLog& log);

class TraceReader {
 public:
  // Reads the trace with these files `metadata` and counter files. It had
  // `num_events` events when it was loaded.
  TraceReader(std::vector<std::string> metadata_paths, uint64_t num_events,
              std::vector<loaders::CounterFile> counter_files);

  // Returns FAILED_PRECONDITION if the number of events has changed.
  absl::StatusOr<TraceContents> Read(
      const util::Cancellation* cancellation) const;

  const std::vector<loaders::CounterFile>& counter_files() const {
    return counter_files_;
  }

 private:
  const std::vector<std::string> metadata_paths_;
  const uint64_t num_events_;
  const std::vector<loaders::CounterFile> counter_files_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_TRACE_READER_H_
