#include "loaders/trace_profile/messages.h"

#include "fmt/format.h"
#include "loaders/trace_profile/fields.h"
#include "util/files/wire.h"

namespace tfprof {
namespace {

void Take(const WireReader& r, size_t field, TraceMessages& messages) {
  switch (r.tag()) {
    case VarintTag(trace_profile::kTicksPerMicro):
      if (r.int64() == 1 || r.int64() == 1000 || r.int64() == 1'000'000) {
        messages.ticks_per_micro = r.int64();
      }
      break;
    case VarintTag(trace_profile::kHasCodeTraces):
      messages.has_code_traces |= r.int64() != 0;
      break;
    case VarintTag(trace_profile::kHasScopes):
      messages.has_scopes = r.int64() != 0;
      break;
    case LengthTag(trace_profile::kShape):
      messages.shapes.push_back(r.view());
      break;
    case LengthTag(trace_profile::kFrames):
      messages.frames = r.view();
      break;
    case LengthTag(trace_profile::kStacks):
      messages.stacks = r.view();
      break;
    case LengthTag(trace_profile::kProcess):
      messages.processes.push_back(r.view());
      break;
    case LengthTag(trace_profile::kPhysical):
      messages.physical.push_back(r.view());
      break;
    case LengthTag(trace_profile::kLane):
      messages.lanes.push_back(r.view());
      break;
    case LengthTag(trace_profile::kModules):
      messages.modules = r.view();
      break;
    case LengthTag(trace_profile::kScopes):
      messages.scopes = r.view();
      break;
    case LengthTag(trace_profile::kNodes):
      messages.nodes = r.view();
      break;
    case LengthTag(trace_profile::kEdges):
      messages.edges = r.view();
      break;
    case LengthTag(trace_profile::kOutputShapes):
      messages.output_shapes = r.view();
      break;
    case LengthTag(trace_profile::kNodeDetail):
      messages.node_details.push_back({r.view(), field});
      break;
    case LengthTag(trace_profile::kStep):
      messages.steps.push_back(r.view());
      break;
    case LengthTag(trace_profile::kLinks):
      messages.links = r.view();
      break;
    case LengthTag(trace_profile::kCounter):
      messages.counters.push_back(r.view());
      break;
    case LengthTag(trace_profile::kKernelCounters):
      messages.kernel_counters = r.view();
      break;
    case LengthTag(trace_profile::kIntervals):
      messages.intervals = r.view();
      break;
    case LengthTag(trace_profile::kRecord):
      messages.records.push_back(field);
      break;
    case LengthTag(trace_profile::kString):
      messages.strings.push_back(r.view());
      break;
  }
}

}  // namespace

absl::StatusOr<TraceMessages> ReadTraceMessages(const InputFile& file) {
  TraceMessages messages;
  WireReader r(file.bytes());
  if (!r.Next() || r.tag() != LengthTag(trace_profile::kMagic) ||
      r.view() != kTraceProfileMagic) {
    return absl::InvalidArgumentError(
        fmt::format("{}: byte 0: not \"{}\", which this version of tfprof "
                    "saves and reads",
                    file.path(), kTraceProfileMagic));
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

}  // namespace tfprof
