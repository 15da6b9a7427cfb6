#include "tables/row_details.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "fmt/format.h"

namespace tfprof::tables {

std::vector<accounting::Stat> TimeStats(views::FieldSet select) {
  std::vector<accounting::Stat> times;
  for (const accounting::Statistic& s : accounting::kStatistics) {
    if (s.unit == util::Unit::kMicros &&
        (select.Has(accounting::kMicros) || select.Has(s.stat))) {
      times.push_back(s.stat);
    }
  }
  return times;
}

std::vector<accounting::Stat> ByteStats(views::FieldSet select) {
  std::vector<accounting::Stat> bytes;
  for (const accounting::Statistic& s : accounting::kStatistics) {
    if (s.unit == util::Unit::kBytes && select.Has(s.stat))
      bytes.push_back(s.stat);
  }
  return bytes;
}

void AppendShape(const profile::Profile& profile, profile::ShapeId shape,
                 std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}",
                 fmt::join(profile.graph().shapes[shape], "x"));
}

void AppendTypes(const profile::Profile& profile,
                 std::span<const profile::StringId> types, std::string& out) {
  bool first = true;
  for (const profile::StringId type : types) {
    if (!first) out += '|';
    first = false;
    out += profile.strings().Get(type);
  }
}

void AppendInputShapes(const views::Report& report, profile::NodeId node,
                       std::string_view separator, std::string& out) {
  const profile::NodeTable& nodes = report.profile->nodes();
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

void AppendNodeTypes(const views::Report& report, const views::Report::Row& row,
                     std::string& out) {
  if (row.node != profile::kNone) {
    const profile::GraphTables& graph = report.profile->graph();
    AppendTypes(*report.profile,
                graph.type_sets[report.profile->nodes().types[row.node]], out);
  } else {
    out += report.view == views::View::kGraph ? views::kGraphParentType
                                              : views::kScopeParentType;
  }
}

std::vector<profile::NodeId> MembersOf(const views::Report& report,
                                       const views::Report::Row& row) {
  if (row.name == views::kRootName && row.depth == 0) return {};
  return report.NodesOf(row);
}

std::vector<std::string_view> DevicesOf(
    const views::Report& report, const std::vector<profile::NodeId>& members) {
  const profile::Profile& profile = *report.profile;
  std::vector<std::string_view> names;
  std::vector<bool> seen(profile.devices().size(), false);
  bool nowhere = false;
  for (const profile::NodeId n : members) {
    const profile::DeviceId id = profile.nodes().device[n];
    if (id == profile::kNone) {
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

std::vector<profile::StringId> TypesOf(
    const views::Report& report, const std::vector<profile::NodeId>& members) {
  const profile::Profile& profile = *report.profile;
  std::vector<profile::StringId> all;
  std::vector<bool> seen(profile.graph().type_sets.size(), false);
  for (const profile::NodeId n : members) {
    const profile::TypeSetId set = profile.nodes().types[n];
    if (seen[set]) continue;
    seen[set] = true;
    const auto types = profile.graph().type_sets[set];
    all.insert(all.end(), types.begin(), types.end());
  }
  std::sort(
      all.begin(), all.end(), [&](profile::StringId a, profile::StringId b) {
        return a != b && profile.strings().Get(a) < profile.strings().Get(b);
      });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<ShapeGroup> ShapeGroupsOf(const views::Report& report,
                                      const views::Report::Row& row,
                                      std::string_view separator) {
  std::map<std::string, ShapeGroup> by_shapes;
  for (const profile::NodeId n : report.NodesOf(row)) {
    std::string shapes;
    AppendInputShapes(report, n, separator, shapes);
    ShapeGroup& group = by_shapes[std::move(shapes)];
    const accounting::Stats& stats = (*report.node_stats)[n];
    group.runs = util::WrapAdd(group.runs, stats[accounting::kRunCount]);
    group.micros = util::WrapAdd(group.micros, stats[accounting::kMicros]);
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

}  // namespace tfprof::tables
