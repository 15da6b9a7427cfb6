#include "inspect/nodes/scope_graph.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "inspect/nodes/neighbours.h"
#include "tables/table_builder.h"
#include "util/arithmetic.h"

namespace tfprof::inspect {
namespace {

struct Weight {
  int64_t tensors = 0;
  int64_t bytes = 0;
  bool known = false;  // the bytes of at least one
};

// For each row of the tree, the row that represents it in the picture.
struct Boxes {
  std::vector<uint32_t> of;
  std::vector<uint32_t> shown;  // in the order of the tree
  std::vector<bool> has_children;
  std::vector<int64_t> operations;  // of the box
};

Boxes FindBoxes(const views::ScopeTree& tree,
                const std::vector<std::string>& open) {
  const std::set<std::string_view> names(open.begin(), open.end());
  const size_t size = tree.names.size();
  Boxes boxes;
  boxes.of.assign(size, profile::kNone);
  boxes.has_children.assign(size, false);
  boxes.operations.assign(size, 0);
  for (uint32_t row = 0; row < size; ++row) {
    if (row != views::kRootRow) boxes.has_children[tree.parent[row]] = true;
  }
  std::vector<bool> is_open(size, false);
  for (uint32_t row = 0; row < size; ++row) {
    const uint32_t parent = tree.parent[row];
    if (row == views::kRootRow) {
      is_open[row] = true;
    } else if (is_open[parent]) {
      boxes.of[row] = row;
      is_open[row] = boxes.has_children[row] && names.contains(tree.names[row]);
      // An open scope is drawn only if it is also an operation.
      if (!is_open[row] || tree.node[row] != profile::kNone)
        boxes.shown.push_back(row);
    } else {
      boxes.of[row] = boxes.of[parent];
    }
    if (tree.node[row] != profile::kNone && boxes.of[row] != profile::kNone) {
      ++boxes.operations[boxes.of[row]];
    }
    if (is_open[row]) boxes.has_children[row] = false;  // is open already
  }
  return boxes;
}

}  // namespace

absl::StatusOr<tables::DataDocument> ScopeGraph(
    views::Views& views, int64_t step, const std::vector<std::string>& open) {
  const profile::Profile& profile = views.profile();
  const profile::NodeTable& nodes = profile.nodes();
  const views::ScopeTree& tree = views.scope();
  const Boxes boxes = FindBoxes(tree, open);
  if (boxes.shown.size() > kMaxBoxes) {
    return absl::ResourceExhaustedError(fmt::format(
        "a picture has at most {} boxes, and these are {}: close some scopes",
        kMaxBoxes, boxes.shown.size()));
  }
  std::vector<uint32_t> box_of(nodes.size(), profile::kNone);
  for (uint32_t row = 0; row < tree.names.size(); ++row) {
    if (tree.node[row] != profile::kNone)
      box_of[tree.node[row]] = boxes.of[row];
  }
  std::map<std::pair<uint32_t, uint32_t>, Weight> edges;
  std::vector<std::map<int32_t, int64_t>> bytes(nodes.size());
  std::vector<bool> asked(nodes.size(), false);
  for (profile::NodeId reader = 0; reader < nodes.size(); ++reader) {
    if (reader % 1024 == 0 && views.work().cancelled()) {
      return absl::CancelledError("cancelled");
    }
    for (const Edge& edge : InputsOf(profile, reader)) {
      if (edge.node == profile::kNone) continue;
      const uint32_t from = box_of[edge.node];
      const uint32_t to = box_of[reader];
      if (from == to || from == profile::kNone || to == profile::kNone)
        continue;
      Weight& weight = edges[{from, to}];
      ++weight.tensors;
      if (edge.control) continue;
      if (!asked[edge.node]) {
        asked[edge.node] = true;
        bytes[edge.node] =
            OutputBytes(profile, StepOf(profile, step, edge.node), edge.node);
      }
      const auto at = bytes[edge.node].find(edge.output);
      if (at == bytes[edge.node].end()) continue;
      weight.bytes = util::WrapAdd(weight.bytes, at->second);
      weight.known = true;
    }
  }
  tables::TableBuilder rows("boxes", {{"box", "", util::Unit::kNumber},
                                      {"name", "", util::Unit::kText},
                                      {"op", "", util::Unit::kText},
                                      {"operations", "", util::Unit::kCount},
                                      {"opens", "", util::Unit::kCount}});
  for (const uint32_t row : boxes.shown) {
    const profile::NodeId node = tree.node[row];
    rows.AddRow({tables::IntCell(row), tables::TextCell(tree.names[row]),
                 node == profile::kNone
                     ? tables::DataCell()
                     : tables::TextCell(profile.strings().Get(nodes.op[node])),
                 tables::IntCell(boxes.operations[row]),
                 tables::IntCell(boxes.has_children[row] ? 1 : 0)});
  }
  tables::TableBuilder lines("edges", {{"source", "", util::Unit::kNumber},
                                       {"reader", "", util::Unit::kNumber},
                                       {"tensors", "", util::Unit::kCount},
                                       {"bytes", "", util::Unit::kBytes}});
  for (const auto& [ends, weight] : edges) {
    lines.AddRow({tables::IntCell(ends.first), tables::IntCell(ends.second),
                  tables::IntCell(weight.tensors),
                  tables::IntCell(weight.bytes, weight.known)});
  }
  tables::DataDocument document;
  document.kind = "drawing";
  document.facts.push_back(
      {{"step", "", util::Unit::kNumber}, tables::IntCell(step)});
  document.parts.push_back({"Boxes", std::move(rows).Build()});
  document.parts.push_back({"Edges", std::move(lines).Build()});
  return document;
}

}  // namespace tfprof::inspect
