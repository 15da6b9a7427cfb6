#include "flops/graph_flops.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "flops/formulas.h"
#include "flops/function_flops.h"
#include "flops/static_shapes.h"

namespace tfprof::flops {
namespace {

// The shapes of the profile's nodes. Caches shapes that are not in the
// profile's tables.
class NodeShapes {
 public:
  explicit NodeShapes(const profile::Profile& profile) : profile_(profile) {
    const profile::NodeTable& nodes = profile.nodes();
    if (!nodes.misses_outputs) return;
    in_doubt_.resize(nodes.size(), false);
    for (profile::NodeId n = 0; n < nodes.size(); ++n) {
      for (uint32_t i = nodes.shape_begin[n] + 1; i < nodes.shape_begin[n + 1];
           ++i) {
        in_doubt_[n] = in_doubt_[n] || nodes.output_shape[i].shape !=
                                           nodes.output_shape[i - 1].shape;
      }
    }
  }

  // `seen`: if the graph does not have the shape, use the shape recorded in a
  // run.
  Dims Output(profile::NodeId n, int32_t index, bool seen) {
    const profile::NodeTable& nodes = profile_.nodes();
    const profile::ShapeTable& shapes = profile_.graph().shapes;
    const Dims known = shapes[nodes.OutputShapeOf(n, index)];
    if (IsKnown(known)) return known;
    if (index == 0 && StatesItsShape(profile_.strings().Get(nodes.op[n]))) {
      const auto [it, is_new] = stated_.try_emplace(n);
      if (is_new) it->second = FindStated(n);
      if (!it->second.empty()) return it->second;
    }
    if (!seen) return known;
    const auto [it, is_new] = seen_.try_emplace(n);
    if (is_new) it->second = FindSeen(n);
    const auto shape =
        std::lower_bound(it->second.begin(), it->second.end(), index,
                         [](const profile::SeenShape& s, int32_t slot) {
                           return s.slot < slot;
                         });
    const bool fits = shape != it->second.end() && shape->slot == index &&
                      Fits(known, shape->dims);
    return fits ? Dims(shape->dims) : known;
  }

  Dims Input(profile::NodeId reader, uint32_t edge, bool seen) {
    const profile::NodeTable& nodes = profile_.nodes();
    const profile::NodeId source = nodes.Source(reader, edge);
    if (source == profile::kNone) return {};
    if (!in_doubt_.empty() && in_doubt_[source]) return {};
    return Output(
        source, nodes.edge_output.empty() ? 0 : nodes.edge_output[edge], seen);
  }

 private:
  // If a recorded shape contradicts the graph, another operation ran under this
  // name.
  static bool Fits(Dims known, Dims seen) {
    if (!IsKnown(seen)) return false;
    if (known.empty()) return true;
    if (known.size() != seen.size()) return false;
    for (size_t d = 0; d < known.size(); ++d) {
      if (known[d] >= 0 && known[d] != seen[d]) return false;
    }
    return true;
  }

  std::vector<int64_t> FindStated(profile::NodeId n) const {
    auto shapes = StaticOutputShapes(
        profile_.strings().Get(profile_.nodes().op[n]), profile_.Attributes(n));
    if (shapes.empty() || !IsKnown(shapes[0])) return {};
    return std::move(shapes[0]);
  }

  // Returns the recorded shapes by ascending slot.
  std::vector<profile::SeenShape> FindSeen(profile::NodeId n) const {
    for (const auto& step : profile_.steps()) {
      const uint32_t group = step->FindGroup(n);
      if (group == profile::kNone) continue;
      for (size_t e = step->exec_begin(group); e < step->exec_end(group); ++e) {
        auto seen = profile_.OutputShapes(
            static_cast<profile::RecordRef>(step->exec_record[e]));
        if (seen.empty()) continue;
        std::stable_sort(
            seen.begin(), seen.end(),
            [](const profile::SeenShape& a, const profile::SeenShape& b) {
              return a.slot < b.slot;
            });
        return seen;
      }
    }
    return {};
  }

  const profile::Profile& profile_;
  // Nodes that have outputs of different shapes, if the profile does not record
  // which output each edge reads.
  std::vector<bool> in_doubt_;
  absl::flat_hash_map<profile::NodeId, std::vector<int64_t>> stated_;
  absl::flat_hash_map<profile::NodeId, std::vector<profile::SeenShape>> seen_;
};

// How to count the nodes of one op.
struct OpKind {
  const Formula* formula = nullptr;
  bool is_call = false;
};

class Computation {
 public:
  explicit Computation(const profile::Profile& profile)
      : profile_(profile), shapes_(profile), functions_(profile) {}

  GraphFlops Run() {
    const profile::NodeTable& nodes = profile_.nodes();
    result_.flops.assign(nodes.size(), 0);
    result_.origin.assign(nodes.size(), FlopsOrigin::kNoFormula);
    // Indexed by string id, so that each op name is looked up once.
    std::vector<OpKind> kinds(profile_.strings().size());
    std::vector<bool> known(profile_.strings().size(), false);
    for (profile::NodeId n = 0; n < nodes.size(); ++n) {
      const profile::StringId op = nodes.op[n];
      OpKind& kind = kinds[op];
      if (!known[op]) {
        known[op] = true;
        const std::string_view name = profile_.strings().Get(op);
        kind.is_call = functions_.IsCall(name);
        kind.formula = FindFormula(name);
      }
      if (kind.is_call) {
        CountCall(n);
      } else if (kind.formula != nullptr) {
        CountNode(n, *kind.formula);
      }
    }
    return std::move(result_);
  }

 private:
  void CountCall(profile::NodeId n) {
    const FunctionFlops::Figure figure = functions_.OfCall(
        profile_.strings().Get(profile_.nodes().op[n]), profile_.Attributes(n));
    result_.flops[n] = figure.flops;
    result_.origin[n] =
        figure.complete ? FlopsOrigin::kGraph : FlopsOrigin::kPartOfCall;
  }

  void CountNode(profile::NodeId n, const Formula& formula) {
    Operation operation;
    operation.num_inputs = profile_.nodes().num_inputs(n);
    if (formula.needs_attributes) operation.attributes = profile_.Attributes(n);
    FillShapes(n, /*seen=*/false, operation);
    Flops flops = formula.compute(operation);
    FlopsOrigin origin = FlopsOrigin::kGraph;
    if (flops.outcome == Flops::Outcome::kNoShapes) {
      FillShapes(n, /*seen=*/true, operation);
      flops = formula.compute(operation);
      origin = FlopsOrigin::kRunTime;
    }
    result_.flops[n] = flops.value;
    switch (flops.outcome) {
      case Flops::Outcome::kKnown:
        result_.origin[n] = origin;
        break;
      case Flops::Outcome::kNoShapes:
        result_.origin[n] = FlopsOrigin::kNoShapes;
        break;
      case Flops::Outcome::kNotSupported:
        result_.origin[n] = FlopsOrigin::kNotSupported;
        break;
    }
  }

  void FillShapes(profile::NodeId n, bool seen, Operation& operation) {
    const profile::NodeTable& nodes = profile_.nodes();
    for (uint32_t e = nodes.edge_begin[n]; e < nodes.edge_begin[n + 1]; ++e) {
      const auto position = static_cast<uint32_t>(nodes.Position(n, e));
      if (position < operation.inputs.size()) {
        operation.inputs[position] = shapes_.Input(n, e, seen);
      }
    }
    operation.output = shapes_.Output(n, 0, seen);
  }

  const profile::Profile& profile_;
  NodeShapes shapes_;
  FunctionFlops functions_;
  GraphFlops result_;
};

}  // namespace

GraphFlops ComputeGraphFlops(const profile::Profile& profile) {
  return Computation(profile).Run();
}

}  // namespace tfprof::flops
