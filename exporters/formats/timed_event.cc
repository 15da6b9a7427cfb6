#include "exporters/formats/timed_event.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "fmt/format.h"
#include "profile/time_column.h"
#include "timeline/dataflow.h"
#include "util/arithmetic.h"

namespace tfprof {
namespace {

std::string ShapeText(const std::vector<int64_t>& dims) {
  return fmt::format("[{}]", fmt::join(dims, ","));
}

// "0 [32,10]; 1 [10]": the outputs whose shapes the record has.
std::string ShapesText(const std::vector<SeenShape>& shapes) {
  std::string text;
  for (const SeenShape& shape : shapes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", shape.slot,
                        ShapeText(shape.dims));
  }
  return text;
}

std::string InputsText(const Profile& profile, NodeId node) {
  const NodeTable& nodes = profile.nodes();
  std::string text;
  for (uint32_t e = nodes.edge_begin[node]; e < nodes.edge_begin[node + 1];
       ++e) {
    if (nodes.edge_source[e] == kNone) continue;
    if (!text.empty()) text += ", ";
    text += profile.strings().Get(nodes.edge_source[e]);
    const ShapeId shape = nodes.InputShape(node, e, /*real_output=*/true);
    if (shape == kUnknownShape) continue;
    const auto dims = profile.graph().shapes[shape];
    text += fmt::format(" [{}]", fmt::join(dims.begin(), dims.end(), ","));
  }
  return text;
}

}  // namespace

TimedEvent DescribeEvent(const Profile& profile, const TrackEvent& event) {
  const Step& step = *profile.steps()[event.step];
  const auto record = static_cast<RecordRef>(step.exec_record[event.record]);
  TimedEvent text;
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) text.arguments.emplace_back(key, value);
  };
  if (event.node == kNone) {
    text.name = event.record < step.num_executions()
                    ? std::string_view()
                    : profile.strings().Get(step.OutsideName(event.record));
    text.is_moment = event.start == event.end;
  } else {
    text.name = profile.strings().Get(profile.nodes().op[event.node]);
    add("node", profile.node_name(event.node));
  }
  const RecordText recorded = profile.Text(record);
  // The op of a node that is in run metadata only.
  if (!recorded.op.empty() && event.node != kNone &&
      text.name == profile.node_name(event.node)) {
    text.name = recorded.op;
  }
  if (recorded.name != text.name) add("event", recorded.name);
  add("label", recorded.label);
  if (event.node != kNone) add("inputs", InputsText(profile, event.node));
  add("output_shapes", ShapesText(profile.OutputShapes(record)));
  const Transfer transfer = profile.TransferOf(record);
  add("tensor", transfer.tensor);
  add("from", transfer.from);
  add("to", transfer.to);
  if (transfer.bytes >= 0) text.numbers.emplace_back("bytes", transfer.bytes);
  if (step.id >= 0) text.numbers.emplace_back("step", step.id);
  text.recorded = profile.Arguments(record);
  return text;
}

std::vector<size_t> PlacesOfSteps(const Profile& profile, int64_t step) {
  std::vector<size_t> places;
  for (size_t i = 0; i < profile.steps().size(); ++i) {
    if (step < 0 || profile.steps()[i]->id == step) places.push_back(i);
  }
  return places;
}

namespace {

// Of the executions in it, process by process.
void AddSpans(const Profile& profile, const Tracks& tracks,
              std::vector<StepSpan>& spans) {
  std::map<std::pair<ProcessId, uint32_t>, StepSpan> by_process;
  for (const EventTrack& track : tracks.all()) {
    for (const TrackEvent& event : tracks.Events(track)) {
      const Step& step = *profile.steps()[event.step];
      if (!step.listed) continue;
      const auto [it, is_new] = by_process.try_emplace(
          {track.process, event.step},
          StepSpan{track.process, step.id, "", event.start, event.end});
      it->second.start = std::min(it->second.start, event.start);
      it->second.end = std::max(it->second.end, event.end);
    }
  }
  for (const auto& [key, span] : by_process) spans.push_back(span);
}

}  // namespace

std::vector<StepSpan> StepSpansOf(const Profile& profile,
                                  const std::vector<size_t>& steps,
                                  const Tracks& tracks) {
  std::vector<StepSpan> spans;
  const StepIntervals& intervals = profile.step_intervals();
  if (intervals.size() == 0) {
    AddSpans(profile, tracks, spans);
    return spans;
  }
  const auto ticks = [&](int64_t nanos) {
    const int64_t per_micro = profile.ticks_per_micro();
    return per_micro >= kNanosPerMicro
               ? SaturatingMul(nanos, per_micro / kNanosPerMicro)
               : FloorDiv(nanos, kNanosPerMicro / per_micro);
  };
  for (const size_t place : steps) {
    const auto [first, end] = intervals.RowsOf(profile.steps()[place]->id);
    for (size_t i = first; i < end; ++i) {
      const StepInterval interval = intervals[i];
      spans.push_back({interval.process, interval.step,
                       interval.name == kNone
                           ? std::string_view()
                           : profile.strings().Get(interval.name),
                       ticks(interval.start), ticks(interval.end)});
    }
  }
  std::stable_sort(
      spans.begin(), spans.end(), [](const StepSpan& a, const StepSpan& b) {
        return std::tie(a.process, a.start) < std::tie(b.process, b.start);
      });
  return spans;
}

uint32_t PlaceOfStep(const Profile& profile, int64_t step) {
  const auto& steps = profile.steps();
  const auto found =
      std::lower_bound(steps.begin(), steps.end(), step,
                       [](const auto& of, int64_t id) { return of->id < id; });
  if (found == steps.end() || (*found)->id != step) return kNone;
  return static_cast<uint32_t>(found - steps.begin());
}

std::vector<Link> ArrowsOf(const Profile& profile,
                           const std::vector<size_t>& steps,
                           const Tracks& tracks) {
  std::vector<Link> arrows;
  const Links& links = profile.links();
  for (size_t i = 0; i < links.size(); ++i) {
    const Link link = links[i];
    const uint32_t from = PlaceOfStep(profile, link.from.step);
    const uint32_t to = PlaceOfStep(profile, link.to.step);
    if (from == kNone || to == kNone ||
        tracks.TrackOf(from, link.from.index) == kNone ||
        tracks.TrackOf(to, link.to.index) == kNone) {
      continue;
    }
    arrows.push_back(link);
  }
  for (const size_t place : steps) {
    for (const Link& link : DataflowOf(profile, place)) {
      const uint32_t from = tracks.TrackOf(place, link.from.index);
      const uint32_t to = tracks.TrackOf(place, link.to.index);
      if (from == kNone || to == kNone || from == to) continue;
      arrows.push_back(link);
    }
  }
  return arrows;
}

}  // namespace tfprof
