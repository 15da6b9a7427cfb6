#include "inspect/nodes/neighbours.h"

#include <algorithm>
#include <string>

#include "accounting/counted_memory.h"
#include "inspect/nodes/attribute_text.h"
#include "inspect/steps/step_facts.h"
#include "tables/stat_columns.h"
#include "tables/table_builder.h"

namespace tfprof::inspect {
namespace {

Edge MakeEdge(const profile::Profile& profile, uint32_t edge,
              profile::NodeId reader,
              const std::vector<std::string_view>& written) {
  const profile::NodeTable& nodes = profile.nodes();
  Edge e;
  e.edge = edge;
  e.position = nodes.Position(reader, edge);
  e.output = !nodes.edge_output.empty()        ? nodes.edge_output[edge]
             : !nodes.edge_seen_output.empty() ? nodes.edge_seen_output[edge]
                                               : 0;
  const auto position = static_cast<size_t>(e.position);
  e.control = e.position >= 0 && position < written.size() &&
              written[position].starts_with('^');
  return e;
}

}  // namespace

std::vector<Edge> InputsOf(const profile::Profile& profile,
                           profile::NodeId node) {
  const profile::NodeTable& nodes = profile.nodes();
  const std::vector<std::string_view> written = profile.Inputs(node);
  std::vector<Edge> edges;
  for (uint32_t e = nodes.edge_begin[node]; e < nodes.edge_begin[node + 1];
       ++e) {
    Edge& edge = edges.emplace_back(MakeEdge(profile, e, node, written));
    edge.node = nodes.Source(node, e);
    const profile::StringId name = nodes.edge_source[e];
    if (edge.node != profile::kNone) {
      edge.name = profile.node_name(edge.node);
    } else if (name != profile::kNone) {
      edge.name = profile.strings().Get(name);
    }
  }
  return edges;
}

std::vector<Edge> ConsumersOf(const profile::Profile& profile,
                              profile::NodeId node) {
  const profile::NodeTable& nodes = profile.nodes();
  const profile::StringId name = nodes.name[node];
  std::vector<Edge> edges;
  for (profile::NodeId reader = 0; reader < nodes.size(); ++reader) {
    if (nodes.ModuleOf(reader) != nodes.ModuleOf(node)) continue;
    std::vector<std::string_view> written;
    bool asked = false;
    for (uint32_t e = nodes.edge_begin[reader];
         e < nodes.edge_begin[reader + 1]; ++e) {
      if (nodes.edge_source[e] != name) continue;
      if (!asked) written = profile.Inputs(reader);
      asked = true;
      Edge& edge = edges.emplace_back(MakeEdge(profile, e, reader, written));
      edge.node = reader;
      edge.name = profile.node_name(reader);
    }
  }
  return edges;
}

const profile::Step* StepOf(const profile::Profile& profile, int64_t step,
                            profile::NodeId node) {
  if (step >= 0) {
    const profile::Step* named = profile.FindStep(step);
    return named != nullptr && named->FindGroup(node) != profile::kNone
               ? named
               : nullptr;
  }
  // The last step is the example for the average and the sum.
  for (auto at = profile.steps().rbegin(); at != profile.steps().rend(); ++at) {
    if ((*at)->FindGroup(node) != profile::kNone) return at->get();
  }
  return nullptr;
}

std::map<int32_t, int64_t> OutputBytes(const profile::Profile& profile,
                                       const profile::Step* step,
                                       profile::NodeId node) {
  std::map<int32_t, int64_t> bytes;
  const uint32_t group =
      step == nullptr ? profile::kNone : step->FindGroup(node);
  if (group == profile::kNone || step->aggregated) return bytes;
  for (const profile::MemoryDetail& memory :
       accounting::CountedMemory(profile, *step, group).memory) {
    for (const profile::MemoryDetail::Output& output : memory.outputs) {
      bytes[output.slot] = output.bytes;
    }
  }
  return bytes;
}

tables::DataTable PeekTable(views::Views& views, profile::NodeId node,
                            int64_t step, size_t max_rows) {
  const profile::Profile& profile = views.profile();
  const profile::NodeTable& nodes = profile.nodes();
  const auto stats = views.context().NodeStats(step);
  accounting::Stats whole = {};
  for (const accounting::Stats& of_node : *stats) {
    accounting::AddStats(whole, of_node);
  }
  tables::StatColumns numbers(profile, whole);
  numbers.AddTimes();
  std::vector<tables::DataColumn> columns = {
      {"relation", "", util::Unit::kText}};
  numbers.Append(columns);
  columns.push_back({"edge_bytes", "carries", util::Unit::kBytes});
  columns.push_back({"edge_shape", "shape", util::Unit::kText});
  columns.push_back(
      {.name = "op", .title = "op", .nothing = std::string(kNotInGraph)});
  columns.push_back({"name", "node", util::Unit::kText});
  tables::TableBuilder table("peek", std::move(columns));
  AddStepFacts("times", step, table.facts());
  size_t rows = 1;
  const auto add = [&](std::string_view relation, profile::NodeId n,
                       std::string_view name, tables::DataCell bytes,
                       tables::DataCell shape) {
    const bool known = n != profile::kNone;
    std::vector<tables::DataCell> cells = {tables::TextCell(relation)};
    if (known) {
      numbers.Append((*stats)[n], cells);
    } else {
      numbers.AppendNothing(cells);
    }
    cells.push_back(std::move(bytes));
    cells.push_back(std::move(shape));
    cells.push_back(known ? tables::TextCell(profile.strings().Get(nodes.op[n]))
                          : tables::DataCell());
    cells.push_back(tables::TextCell(name));
    table.AddRow(std::move(cells));
  };
  const auto bytes_of = [](const std::map<int32_t, int64_t>& bytes,
                           const Edge& edge) -> tables::DataCell {
    const auto at = bytes.find(edge.output);
    const bool known = !edge.control && at != bytes.end();
    return tables::IntCell(known ? at->second : 0, known);
  };
  const auto shape_of = [&](profile::NodeId source,
                            const Edge& edge) -> tables::DataCell {
    if (edge.control) return tables::TextCell("control");
    if (source == profile::kNone) return {};
    return tables::TextCell(ShapeText(
        profile.graph().shapes[nodes.OutputShapeOf(source, edge.output)]));
  };
  const auto limited = [&](const std::vector<Edge>& edges) {
    rows += edges.size();
    return max_rows == 0 ? edges.size() : std::min(max_rows, edges.size());
  };

  const std::vector<Edge> inputs = InputsOf(profile, node);
  for (size_t i = 0, end = limited(inputs); i < end; ++i) {
    const Edge& edge = inputs[i];
    std::map<int32_t, int64_t> bytes;
    if (edge.node != profile::kNone && !edge.control) {
      bytes = OutputBytes(profile, StepOf(profile, step, edge.node), edge.node);
    }
    add("input", edge.node, edge.name, bytes_of(bytes, edge),
        shape_of(edge.node, edge));
  }
  add("node", node, profile.node_name(node), {}, {});
  const std::map<int32_t, int64_t> bytes =
      OutputBytes(profile, StepOf(profile, step, node), node);
  const std::vector<Edge> consumers = ConsumersOf(profile, node);
  for (size_t i = 0, end = limited(consumers); i < end; ++i) {
    const Edge& edge = consumers[i];
    add("consumer", edge.node, edge.name, bytes_of(bytes, edge),
        shape_of(node, edge));
  }
  table.SetTotalRows(rows);
  return std::move(table).Build();
}

}  // namespace tfprof::inspect
