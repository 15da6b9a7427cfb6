#include "exporters/formats/timed_event.h"

#include "fmt/format.h"

namespace tfprof::exporters {
namespace {

std::string ShapeText(const std::vector<int64_t>& dims) {
  return fmt::format("[{}]", fmt::join(dims, ","));
}

// "0 [32,10]; 1 [10]": the recorded shapes of outputs.
std::string ShapesText(const std::vector<profile::SeenShape>& shapes) {
  std::string text;
  for (const profile::SeenShape& shape : shapes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", shape.slot,
                        ShapeText(shape.dims));
  }
  return text;
}

std::string InputsText(const profile::Profile& profile, profile::NodeId node) {
  const profile::NodeTable& nodes = profile.nodes();
  std::string text;
  for (uint32_t e = nodes.edge_begin[node]; e < nodes.edge_begin[node + 1];
       ++e) {
    if (nodes.edge_source[e] == profile::kNone) continue;
    if (!text.empty()) text += ", ";
    text += profile.strings().Get(nodes.edge_source[e]);
    const profile::ShapeId shape =
        nodes.InputShape(node, e, /*real_output=*/true);
    if (shape == profile::kUnknownShape) continue;
    const auto dims = profile.graph().shapes[shape];
    text += fmt::format(" [{}]", fmt::join(dims.begin(), dims.end(), ","));
  }
  return text;
}

}  // namespace

TimedEvent DescribeEvent(const profile::Profile& profile,
                         const timeline::TrackEvent& event) {
  const profile::Step& step = *profile.steps()[event.step];
  const auto record =
      static_cast<profile::RecordRef>(step.exec_record[event.record]);
  TimedEvent text;
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) text.arguments.emplace_back(key, value);
  };
  if (event.node == profile::kNone) {
    text.name = event.record < step.num_executions()
                    ? std::string_view()
                    : profile.strings().Get(step.OutsideName(event.record));
    text.is_moment = event.start == event.end;
  } else {
    text.name = profile.strings().Get(profile.nodes().op[event.node]);
    add("node", profile.node_name(event.node));
  }
  const profile::RecordText recorded = profile.Text(record);
  // The recorded op of a node that only run metadata contain.
  if (!recorded.op.empty() && event.node != profile::kNone &&
      text.name == profile.node_name(event.node)) {
    text.name = recorded.op;
  }
  if (recorded.name != text.name) add("event", recorded.name);
  add("label", recorded.label);
  if (event.node != profile::kNone)
    add("inputs", InputsText(profile, event.node));
  add("output_shapes", ShapesText(profile.OutputShapes(record)));
  const profile::Transfer transfer = profile.TransferOf(record);
  add("tensor", transfer.tensor);
  add("from", transfer.from);
  add("to", transfer.to);
  if (transfer.bytes >= 0) text.numbers.emplace_back("bytes", transfer.bytes);
  if (step.id >= 0) text.numbers.emplace_back("step", step.id);
  text.recorded = profile.Arguments(record);
  return text;
}

}  // namespace tfprof::exporters
