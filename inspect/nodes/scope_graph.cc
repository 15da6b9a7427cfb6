#include "inspect/nodes/scope_graph.h"

#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "inspect/nodes/neighbours.h"
#include "tables/table_builder.h"
#include "util/arithmetic.h"

namespace tfprof {
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

Boxes FindBoxes(const ScopeTree& tree, const std::vector<std::string>& open) {
  const std::set<std::string_view> names(open.begin(), open.end());
  const size_t size = tree.names.size();
  Boxes boxes;
  boxes.of.assign(size, kNone);
  boxes.has_children.assign(size, false);
  boxes.operations.assign(size, 0);
  for (uint32_t row = 0; row < size; ++row) {
    if (row != kRootRow) boxes.has_children[tree.parent[row]] = true;
  }
  std::vector<bool> is_open(size, false);
  for (uint32_t row = 0; row < size; ++row) {
    const uint32_t parent = tree.parent[row];
    if (row == kRootRow) {
      is_open[row] = true;
    } else if (is_open[parent]) {
      boxes.of[row] = row;
      is_open[row] = boxes.has_children[row] && names.contains(tree.names[row]);
      // An open scope is drawn only if it is also an operation.
      if (!is_open[row] || tree.node[row] != kNone) boxes.shown.push_back(row);
    } else {
      boxes.of[row] = boxes.of[parent];
    }
    if (tree.node[row] != kNone && boxes.of[row] != kNone) {
      ++boxes.operations[boxes.of[row]];
    }
    if (is_open[row]) boxes.has_children[row] = false;  // is open already
  }
  return boxes;
}

}  // namespace

absl::StatusOr<DataDocument> ScopeGraph(Views& views, int64_t step,
                                        const std::vector<std::string>& open) {
  const Profile& profile = views.profile();
  const NodeTable& nodes = profile.nodes();
  const ScopeTree& tree = views.scope();
  const Boxes boxes = FindBoxes(tree, open);
  if (boxes.shown.size() > kMaxBoxes) {
    return absl::ResourceExhaustedError(fmt::format(
        "a picture has at most {} boxes, and these are {}: close some scopes",
        kMaxBoxes, boxes.shown.size()));
  }
  std::vector<uint32_t> box_of(nodes.size(), kNone);
  for (uint32_t row = 0; row < tree.names.size(); ++row) {
    if (tree.node[row] != kNone) box_of[tree.node[row]] = boxes.of[row];
  }
  std::map<std::pair<uint32_t, uint32_t>, Weight> edges;
  std::vector<std::map<int32_t, int64_t>> bytes(nodes.size());
  std::vector<bool> asked(nodes.size(), false);
  for (NodeId reader = 0; reader < nodes.size(); ++reader) {
    if (reader % 1024 == 0 && views.work().cancelled()) {
      return absl::CancelledError("cancelled");
    }
    for (const Edge& edge : InputsOf(profile, reader)) {
      if (edge.node == kNone) continue;
      const uint32_t from = box_of[edge.node];
      const uint32_t to = box_of[reader];
      if (from == to || from == kNone || to == kNone) continue;
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
      weight.bytes = WrapAdd(weight.bytes, at->second);
      weight.known = true;
    }
  }
  TableBuilder rows("boxes", {{"box", "", Unit::kNumber},
                              {"name", "", Unit::kText},
                              {"op", "", Unit::kText},
                              {"operations", "", Unit::kCount},
                              {"opens", "", Unit::kCount}});
  for (const uint32_t row : boxes.shown) {
    const NodeId node = tree.node[row];
    rows.AddRow({IntCell(row), TextCell(tree.names[row]),
                 node == kNone
                     ? DataCell()
                     : TextCell(profile.strings().Get(nodes.op[node])),
                 IntCell(boxes.operations[row]),
                 IntCell(boxes.has_children[row] ? 1 : 0)});
  }
  TableBuilder lines("edges", {{"source", "", Unit::kNumber},
                               {"reader", "", Unit::kNumber},
                               {"tensors", "", Unit::kCount},
                               {"bytes", "", Unit::kBytes}});
  for (const auto& [ends, weight] : edges) {
    lines.AddRow({IntCell(ends.first), IntCell(ends.second),
                  IntCell(weight.tensors),
                  IntCell(weight.bytes, weight.known)});
  }
  DataDocument document;
  document.kind = "drawing";
  document.facts.push_back({{"step", "", Unit::kNumber}, IntCell(step)});
  document.parts.push_back({"Boxes", std::move(rows).Build()});
  document.parts.push_back({"Edges", std::move(lines).Build()});
  return document;
}

}  // namespace tfprof
