#include "loaders/saved_trace/messages.h"

#include "fmt/format.h"
#include "loaders/saved_trace/fields.h"
#include "util/files/wire.h"

namespace tfprof::saved_trace {
namespace {

void Take(const util::WireReader& r, size_t field,
          SavedTraceMessages& messages) {
  switch (r.tag()) {
    case util::VarintTag(saved_trace::kTicksPerMicro):
      if (r.int64() == 1 || r.int64() == 1000 || r.int64() == 1'000'000) {
        messages.ticks_per_micro = r.int64();
      }
      break;
    case util::VarintTag(saved_trace::kHasCodeTraces):
      messages.has_code_traces |= r.int64() != 0;
      break;
    case util::VarintTag(saved_trace::kEdgesAreCalls):
      messages.edges_are_calls = r.int64() != 0;
      break;
    case util::VarintTag(saved_trace::kHasScopes):
      messages.has_scopes = r.int64() != 0;
      break;
    case util::LengthTag(saved_trace::kShape):
      messages.shapes.push_back(r.view());
      break;
    case util::LengthTag(saved_trace::kFrames):
      messages.frames = r.view();
      break;
    case util::LengthTag(saved_trace::kStacks):
      messages.stacks = r.view();
      break;
    case util::LengthTag(saved_trace::kProcess):
      messages.processes.push_back(r.view());
      break;
    case util::LengthTag(saved_trace::kPhysical):
      messages.physical.push_back(r.view());
      break;
    case util::LengthTag(saved_trace::kLane):
      messages.lanes.push_back(r.view());
      break;
    case util::LengthTag(saved_trace::kModules):
      messages.modules = r.view();
      break;
    case util::LengthTag(saved_trace::kScopes):
      messages.scopes = r.view();
      break;
    case util::LengthTag(saved_trace::kNodes):
      messages.nodes = r.view();
      break;
    case util::LengthTag(saved_trace::kEdges):
      messages.edges = r.view();
      break;
    case util::LengthTag(saved_trace::kOutputShapes):
      messages.output_shapes = r.view();
      break;
    case util::LengthTag(saved_trace::kNodeDetail):
      messages.node_details.push_back({r.view(), field});
      break;
    case util::LengthTag(saved_trace::kStep):
      messages.steps.push_back(r.view());
      break;
    case util::LengthTag(saved_trace::kLinks):
      messages.links = r.view();
      break;
    case util::LengthTag(saved_trace::kCounter):
      messages.counters.push_back(r.view());
      break;
    case util::LengthTag(saved_trace::kKernelCounters):
      messages.kernel_counters = r.view();
      break;
    case util::LengthTag(saved_trace::kIntervals):
      messages.intervals = r.view();
      break;
    case util::LengthTag(saved_trace::kPipeline):
      messages.pipeline = r.view();
      break;
    case util::LengthTag(saved_trace::kPhases):
      messages.phases = r.view();
      break;
    case util::LengthTag(saved_trace::kReplays):
      messages.replays = r.view();
      break;
    case util::LengthTag(saved_trace::kRecord):
      messages.records.push_back(field);
      break;
    case util::LengthTag(saved_trace::kString):
      messages.strings.push_back(r.view());
      break;
  }
}

}  // namespace

absl::StatusOr<SavedTraceMessages> ReadTraceMessages(
    const loaders::InputFile& file) {
  SavedTraceMessages messages;
  util::WireReader r(file.bytes());
  if (!r.Next() || r.tag() != util::LengthTag(saved_trace::kMagic) ||
      r.view() != kSavedTraceMagic) {
    return absl::InvalidArgumentError(
        fmt::format("{}: byte 0: not \"{}\", which this version of tfprof "
                    "saves and reads",
                    file.path(), kSavedTraceMagic));
  }
  for (size_t field = r.good_bytes(); r.Next(); field = r.good_bytes()) {
    Take(r, field, messages);
  }
  if (!r.damaged()) return messages;
  return absl::DataLossError(
      fmt::format("{}: {}: the saved trace is cut short; save it again from "
                  "its source",
                  file.path(), r.Describe(0)));
}

}  // namespace tfprof::saved_trace
