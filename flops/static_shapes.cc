#include "flops/static_shapes.h"

#include <algorithm>
#include <utility>

#include "profile/attr_value.h"

namespace tfprof::flops {
namespace {

constexpr std::string_view kConst = "Const";
constexpr std::string_view kWithShape[] = {
    "Placeholder", "PlaceholderWithDefault", "Variable", "VariableV2"};
constexpr std::string_view kLikeFirstInput[] = {
    "BiasAdd",     "Cast",       "Exp",  "Identity", "Log",       "Neg",
    "ReluGrad",    "Reciprocal", "Relu", "Rsqrt",    "RsqrtGrad", "Sigmoid",
    "SigmoidGrad", "Softmax",    "Sqrt", "Square",   "Tanh",      "TanhGrad"};
constexpr std::string_view kBroadcasting[] = {
    "Add",          "AddV2",   "Equal",   "Greater",   "Less",
    "GreaterEqual", "Maximum", "Minimum", "LessEqual", "Mul",
    "NotEqual",     "Pow",     "RealDiv", "Sub",       "SquaredDifference"};

template <size_t size>
bool IsIn(const std::string_view (&ops)[size], std::string_view op) {
  return std::find(std::begin(ops), std::end(ops), op) != std::end(ops);
}

// Aligns the shapes at their ends; a dimension of 1 takes the other's size.
// Returns an empty shape if they do not match.
std::vector<int64_t> Broadcast(Dims a, Dims b) {
  if (a.size() < b.size()) std::swap(a, b);
  std::vector<int64_t> dims(a.begin(), a.end());
  const size_t more = a.size() - b.size();
  for (size_t d = 0; d < b.size(); ++d) {
    int64_t& dim = dims[more + d];
    if (dim == 1) dim = b[d];
    if (dim != b[d] && b[d] != 1) return {};
  }
  return dims;
}

std::vector<int64_t> ProductShape(Dims a, Dims b, bool a_transposed,
                                  bool b_transposed) {
  if (a.size() < 2 || b.size() < 2) return {};
  std::vector<int64_t> dims;
  if (a.size() > 2 || b.size() > 2) {
    dims = Broadcast(a.first(a.size() - 2), b.first(b.size() - 2));
    if (dims.empty()) return {};
  }
  dims.push_back(a[a.size() - (a_transposed ? 1 : 2)]);
  dims.push_back(b[b.size() - (b_transposed ? 2 : 1)]);
  return dims;
}

}  // namespace

bool StatesItsShape(std::string_view op) {
  return op == kConst || IsIn(kWithShape, op);
}

std::vector<std::vector<int64_t>> StaticOutputShapes(
    std::string_view op, const profile::AttributeList& attributes) {
  auto shapes =
      profile::AttrShapes(profile::FindAttribute(attributes, "_output_shapes"));
  if (!StatesItsShape(op) || (!shapes.empty() && IsKnown(shapes[0]))) {
    return shapes;
  }
  const std::vector<int64_t> own =
      op == kConst
          ? profile::AttrTensorShape(
                profile::FindAttribute(attributes, "value"))
          : profile::AttrShape(profile::FindAttribute(attributes, "shape"));
  if (IsKnown(own)) shapes = {own};
  return shapes;
}

std::vector<int64_t> InferOutputShape(
    std::string_view op, std::span<const Dims> inputs,
    const profile::AttributeList& attributes) {
  const Dims a = inputs.empty() ? Dims() : inputs[0];
  const Dims b = inputs.size() < 2 ? Dims() : inputs[1];
  if (!IsKnown(a) || a.size() > kMaxRank || b.size() > kMaxRank) return {};
  if (IsIn(kLikeFirstInput, op)) return {a.begin(), a.end()};
  if (!IsKnown(b)) return {};
  if (IsIn(kBroadcasting, op)) return Broadcast(a, b);
  const auto flag = [&](std::string_view key) {
    return profile::AttrBool(profile::FindAttribute(attributes, key));
  };
  if (op == "MatMul") {
    return ProductShape(a, b, flag("transpose_a"), flag("transpose_b"));
  }
  if (op.starts_with("BatchMatMul")) {
    return ProductShape(a, b, flag("adj_x"), flag("adj_y"));
  }
  return {};
}

}  // namespace tfprof::flops
