#include "loaders/ctf/script_outputs.h"

#include <functional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "loaders/ctf/attribution.h"
#include "loaders/ctf/kernel_counts.h"
#include "loaders/ctf/script_answers.h"
#include "loaders/ctf/trace_facts.h"
#include "loaders/ctf/trace_files.h"

namespace tfprof::ctf {
namespace {

absl::StatusOr<TraceFacts> ReadAgain(
    const std::vector<std::string>& metadata_paths, uint64_t num_events) {
  ImportLog log;  // has nothing that the first reading did not find
  auto files = TraceFiles::Open(metadata_paths, log);
  if (!files.ok()) return files.status();
  TraceFacts facts = CollectFacts(*files, nullptr, log);
  if (facts.num_events != num_events) {
    return absl::FailedPreconditionError(fmt::format(
        "{}: the trace had {} events when it was loaded and has {} now; load "
        "it again",
        metadata_paths.front(), num_events, facts.num_events));
  }
  return facts;
}

}  // namespace

void AddScripts(const std::vector<std::string>& metadata_paths,
                uint64_t num_events,
                std::shared_ptr<const std::vector<CounterFile>> counter_files,
                TraceReport& report) {
  // What a script makes of the facts of the trace.
  using Answer = std::function<absl::StatusOr<std::string>(TraceFacts & facts,
                                                           const Profile&)>;
  const auto add = [&](std::string name, Answer answer) {
    report.scripts.push_back(
        {std::move(name),
         [=](const Profile& profile) -> absl::StatusOr<std::string> {
           auto facts = ReadAgain(metadata_paths, num_events);
           if (!facts.ok()) return facts.status();
           return answer(*facts, profile);
         }});
  };
  add("trace_analysis",
      [](TraceFacts& facts, const Profile&) { return TraceAnalysis(facts); });
  add("operations_latency_analysis",
      [](TraceFacts& facts,
         const Profile& profile) -> absl::StatusOr<std::string> {
        if (profile.nodes().edge_source.empty()) {
          return absl::FailedPreconditionError(
              "there is no graph, which says what the inputs of an op are; "
              "name the file of its GraphDef before the trace");
        }
        return OperationsLatency(facts, profile);
      });
  add("perfcounters_analysis",
      [=](TraceFacts& facts, const Profile&) -> absl::StatusOr<std::string> {
        if (counter_files->empty()) {
          return absl::FailedPreconditionError(
              "there are no counters of a file; name the CSV of RCP or rocprof "
              "after the trace");
        }
        const Attribution attribution = Attribute(facts);
        return PerfCounters(facts,
                            MatchCounters(facts, attribution, *counter_files),
                            *counter_files);
      });
  add("perfcounters_interception_analysis",
      [](TraceFacts& facts, const Profile&) -> absl::StatusOr<std::string> {
        if (facts.counter_sets.empty()) {
          return absl::FailedPreconditionError(
              "the trace has no counters of kernels "
              "(interceptionTracer:perf_counter_…)");
        }
        const Attribution attribution = Attribute(facts);
        return InterceptedCounters(facts,
                                   MatchCounters(facts, attribution, {}));
      });
}

}  // namespace tfprof::ctf
