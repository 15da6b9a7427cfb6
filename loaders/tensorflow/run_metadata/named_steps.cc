#include "loaders/tensorflow/run_metadata/named_steps.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "loaders/tensorflow/run_metadata/run_metadata.h"
#include "util/arithmetic.h"

namespace tfprof::tensorflow {
namespace {

// From the first start to the last end, in nanoseconds.
struct Span {
  int64_t start = INT64_MAX;
  int64_t end = INT64_MIN;
};

// Returns when each process ran something in a step. Leaves out a process
// without a name, unless it is alone.
std::map<profile::ProcessId, Span> SpansOf(const profile::Step& step,
                                           const profile::LaneTable& lanes) {
  std::map<profile::ProcessId, Span> spans;
  for (size_t e = 0; e < step.num_records(); ++e) {
    const profile::LaneId lane = step.LaneOf(e);
    if (lane == profile::kNone || lanes[lane].process == profile::kNone ||
        !step.HasStart(e)) {
      continue;
    }
    Span& span = spans[lanes[lane].process];
    const int64_t start = step.exec_start.Nanos(e);
    span.start = std::min(span.start, start);
    span.end =
        std::max(span.end,
                 util::SaturatingAdd(
                     start, std::max<int64_t>(0, step.exec_duration.Nanos(e))));
  }
  const auto is_unknown = [&](const auto& of) {
    const profile::Process& process = lanes.process(of.first);
    return process.name.empty() && process.rank < 0;
  };
  if (!std::all_of(spans.begin(), spans.end(), is_unknown)) {
    std::erase_if(spans, is_unknown);
  }
  return spans;
}

}  // namespace

absl::Status LoadNamedSteps(std::span<const NamedStep> steps,
                            loaders::LoadContext& context) {
  std::vector<RunMetadataFile> files;
  std::map<int64_t, const NamedStep*> named;
  for (const NamedStep& step : steps) {
    files.push_back(
        {.file = step.file, .step = step.step, .process = step.process});
    if (!step.name.empty()) named.emplace(step.step, &step);
  }
  absl::Status status = LoadRunMetadata(files, context);
  if (!status.ok()) return status;
  for (const auto& step : context.builder.finished_steps()) {
    const auto it = named.find(step->id);
    if (it == named.end()) continue;
    const profile::StringId name =
        context.builder.mutable_graph().strings.Intern(it->second->name);
    for (const auto& [process, span] :
         SpansOf(*step, context.builder.graph().lanes)) {
      context.builder.AddStepInterval({.step = step->id,
                                       .process = process,
                                       .start = span.start,
                                       .end = span.end,
                                       .name = name});
    }
  }
  return absl::OkStatus();
}

}  // namespace tfprof::tensorflow
