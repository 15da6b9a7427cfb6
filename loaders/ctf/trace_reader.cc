#include "loaders/ctf/trace_reader.h"

#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "loaders/ctf/model/step_numbers.h"

namespace tfprof::ctf {

absl::StatusOr<TraceContents> ReadContents(
    TraceFiles files, const std::vector<loaders::CounterFile>& counter_files,
    const util::Cancellation* cancellation, loaders::ImportLog& log) {
  TraceContents trace = {.files = std::move(files)};
  trace.facts = CollectFacts(trace.files, cancellation, log);
  if (cancellation != nullptr && cancellation->requested()) {
    return absl::CancelledError("cancelled");
  }
  NumberSteps(trace.facts, log);
  trace.attribution = Attribute(trace.facts);
  trace.hosts = CompareHosts(trace.facts);
  trace.counted = MatchCounters(trace.facts, trace.attribution, counter_files);
  return trace;
}

TraceReader::TraceReader(std::vector<std::string> metadata_paths,
                         uint64_t num_events,
                         std::vector<loaders::CounterFile> counter_files)
    : metadata_paths_(std::move(metadata_paths)),
      num_events_(num_events),
      counter_files_(std::move(counter_files)) {}

absl::StatusOr<TraceContents> TraceReader::Read(
    const util::Cancellation* cancellation) const {
  loaders::ImportLog log;  // not used: the first reading logged the same
  auto files = TraceFiles::Open(metadata_paths_, log);
  if (!files.ok()) return files.status();
  auto trace =
      ReadContents(*std::move(files), counter_files_, cancellation, log);
  if (trace.ok() && trace->facts.num_events != num_events_) {
    return absl::FailedPreconditionError(fmt::format(
        "{}: the trace had {} events when it was loaded and has {} now; load "
        "it again",
        metadata_paths_.front(), num_events_, trace->facts.num_events));
  }
  return trace;
}

}  // namespace tfprof::ctf
