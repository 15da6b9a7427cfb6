#include "loaders/ctf/load.h"

#include <memory>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "loaders/ctf/attribution.h"
#include "loaders/ctf/host_clocks.h"
#include "loaders/ctf/kernel_counts.h"
#include "loaders/ctf/report.h"
#include "loaders/ctf/script_outputs.h"
#include "loaders/ctf/step_numbers.h"
#include "loaders/ctf/trace_facts.h"
#include "loaders/ctf/trace_files.h"
#include "loaders/ctf/trace_model.h"
#include "util/self_profile.h"

namespace tfprof {
namespace {

using ctf::Attribution;
using ctf::TraceFacts;

// Texts of unknown events in the log.
constexpr std::string_view kUnknownEvent = "event of unknown meaning";

void LogCounters(const ctf::CountedKernels& counted, ImportLog& log) {
  const auto add = [&](uint64_t count, std::string_view what) {
    if (count == 0) return;
    log.Add(ImportLog::kNotice, "counters of no kernel",
            fmt::format("{} {} belong to no op: the trace has another number "
                        "of kernels and launches of that name",
                        count, what));
  };
  add(counted.sets_without_kernel, "sets of counters");
  add(counted.rows_without_kernel, "rows of counter files");
}

void LogFacts(const ctf::TraceFiles& files, const TraceFacts& facts,
              ImportLog& log) {
  for (const auto& [event, count] : facts.unknown) {
    log.Add(ImportLog::kNotice, kUnknownEvent,
            fmt::format("{}: {} events {} are counted and not used",
                        files.traces.front()->folder, count, event));
  }
  for (const std::string& note : facts.notes) {
    log.Add(ImportLog::kNotice, "note of the recorder", note);
  }
  if (facts.untimed_commands > 0) {
    log.Add(
        ImportLog::kNotice, "command without times",
        fmt::format("{}: the device did not tell when {} commands ran: "
                    "they failed, their queue does not say it, or the program "
                    "ended before them",
                    files.traces.front()->folder, facts.untimed_commands));
  }
  if (files.discarded_events > 0 || files.discarded_packets > 0) {
    log.Add(ImportLog::kNotice, "event that the tracer dropped",
            fmt::format("{}: the tracer dropped {} events and {} packets; sums "
                        "are lower bounds (lttng enable-channel "
                        "--subbuf-size gives it more memory)",
                        files.traces.front()->folder, files.discarded_events,
                        files.discarded_packets));
  }
}

}  // namespace

absl::Status LoadCtf(const std::vector<std::string>& metadata_paths,
                     LoadContext& context) {
  const ScopedPhase phase("CTF trace", metadata_paths.front());
  auto files = ctf::TraceFiles::Open(metadata_paths, context.log);
  if (!files.ok()) return files.status();
  TraceFacts facts =
      ctf::CollectFacts(*files, context.work.cancellation, context.log);
  if (context.work.cancelled()) return absl::OkStatus();
  ctf::NumberSteps(facts, context.log);
  LogFacts(*files, facts, context.log);
  const Attribution attribution = ctf::Attribute(facts);
  const std::vector<ctf::HostClock> hosts = ctf::CompareHosts(facts);
  const auto counter_files = std::make_shared<const std::vector<CounterFile>>(
      std::exchange(context.counter_files, {}));
  const ctf::CountedKernels counted =
      ctf::MatchCounters(facts, attribution, *counter_files);
  LogCounters(counted, context.log);
  context.report = ctf::MakeReport(*files, facts, attribution, hosts);
  ctf::AddScripts(metadata_paths, facts.num_events, counter_files,
                  context.report);
  ctf::ModelTrace(facts, attribution, hosts, counted, *counter_files, context);
  return absl::OkStatus();
}

}  // namespace tfprof
