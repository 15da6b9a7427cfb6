#include "tables/row_details.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "fmt/format.h"

namespace tfprof {

std::vector<Stat> TimeStats(FieldSet select) {
  if (select.Has(Field::kMicros)) {
    return {kMicros, kAcceleratorMicros, kCpuMicros};
  }
  std::vector<Stat> times;
  if (select.Has(Field::kAcceleratorMicros)) {
    times.push_back(kAcceleratorMicros);
  }
  if (select.Has(Field::kCpuMicros)) times.push_back(kCpuMicros);
  return times;
}

std::vector<Stat> ByteStats(FieldSet select) {
  std::vector<Stat> bytes;
  if (select.Has(Field::kBytes)) bytes.push_back(kRequestedBytes);
  if (select.Has(Field::kPeakBytes)) bytes.push_back(kPeakBytes);
  if (select.Has(Field::kResidualBytes)) bytes.push_back(kResidualBytes);
  if (select.Has(Field::kOutputBytes)) bytes.push_back(kOutputBytes);
  return bytes;
}

void AppendShape(const Profile& profile, ShapeId shape, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}",
                 fmt::join(profile.graph().shapes[shape], "x"));
}

void AppendTypes(const Profile& profile, std::span<const StringId> types,
                 std::string& out) {
  bool first = true;
  for (const StringId type : types) {
    if (!first) out += '|';
    first = false;
    out += profile.strings().Get(type);
  }
}

void AppendInputShapes(const Report& report, NodeId node,
                       std::string_view separator, std::string& out) {
  const NodeTable& nodes = report.profile->nodes();
  const uint32_t begin = nodes.edge_begin[node];
  for (uint32_t e = begin; e < nodes.edge_begin[node + 1]; ++e) {
    if (e > begin) out += separator;
    fmt::format_to(std::back_inserter(out), "{}:", nodes.Position(node, e));
    const auto dims = report.profile->graph().shapes[nodes.InputShape(
        node, e, report.options.real_output_index)];
    if (dims.empty()) {
      out += "unknown";
    } else {
      fmt::format_to(std::back_inserter(out), "{}", fmt::join(dims, "x"));
    }
  }
}

void AppendNodeTypes(const Report& report, const Report::Row& row,
                     std::string& out) {
  if (row.node != kNone) {
    const GraphTables& graph = report.profile->graph();
    AppendTypes(*report.profile,
                graph.type_sets[report.profile->nodes().types[row.node]], out);
  } else {
    out += report.view == View::kGraph ? kGraphParentType : kScopeParentType;
  }
}

std::vector<NodeId> MembersOf(const Report& report, const Report::Row& row) {
  if (row.name == kRootName && row.depth == 0) return {};
  return report.NodesOf(row);
}

std::vector<std::string_view> DevicesOf(const Report& report,
                                        const std::vector<NodeId>& members) {
  const Profile& profile = *report.profile;
  std::vector<std::string_view> names;
  std::vector<bool> seen(profile.devices().size(), false);
  bool nowhere = false;
  for (const NodeId n : members) {
    const DeviceId id = profile.nodes().device[n];
    if (id == kNone) {
      nowhere = true;
    } else if (!seen[id]) {
      seen[id] = true;
      names.push_back(profile.devices().name(id));
    }
  }
  if (nowhere) names.push_back("");
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<StringId> TypesOf(const Report& report,
                              const std::vector<NodeId>& members) {
  const Profile& profile = *report.profile;
  std::vector<StringId> all;
  std::vector<bool> seen(profile.graph().type_sets.size(), false);
  for (const NodeId n : members) {
    const TypeSetId set = profile.nodes().types[n];
    if (seen[set]) continue;
    seen[set] = true;
    const auto types = profile.graph().type_sets[set];
    all.insert(all.end(), types.begin(), types.end());
  }
  std::sort(all.begin(), all.end(), [&](StringId a, StringId b) {
    return a != b && profile.strings().Get(a) < profile.strings().Get(b);
  });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<ShapeGroup> ShapeGroupsOf(const Report& report,
                                      const Report::Row& row,
                                      std::string_view separator) {
  std::map<std::string, ShapeGroup> by_shapes;
  for (const NodeId n : report.NodesOf(row)) {
    std::string shapes;
    AppendInputShapes(report, n, separator, shapes);
    ShapeGroup& group = by_shapes[std::move(shapes)];
    const Stats& stats = (*report.node_stats)[n];
    group.runs = WrapAdd(group.runs, stats[kRunCount]);
    group.micros = WrapAdd(group.micros, stats[kMicros]);
    ++group.defined;
  }
  std::vector<ShapeGroup> groups;
  for (auto& [shapes, group] : by_shapes) {
    group.shapes = shapes;
    groups.push_back(std::move(group));
  }
  std::stable_sort(
      groups.begin(), groups.end(),
      [](const ShapeGroup& a, const ShapeGroup& b) { return a.runs > b.runs; });
  return groups;
}

}  // namespace tfprof
