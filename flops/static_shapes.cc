#include "flops/static_shapes.h"

#include <algorithm>

#include "flops/formulas.h"
#include "profile/attr_value.h"

namespace tfprof {
namespace {

constexpr std::string_view kConst = "Const";
constexpr std::string_view kWithShape[] = {
    "Placeholder", "PlaceholderWithDefault", "Variable", "VariableV2"};

}  // namespace

bool StatesItsShape(std::string_view op) {
  return op == kConst || std::find(std::begin(kWithShape), std::end(kWithShape),
                                   op) != std::end(kWithShape);
}

std::vector<std::vector<int64_t>> StaticOutputShapes(
    std::string_view op, const AttributeList& attributes) {
  auto shapes = AttrShapes(FindAttribute(attributes, "_output_shapes"));
  if (!StatesItsShape(op) || (!shapes.empty() && IsKnown(shapes[0]))) {
    return shapes;
  }
  const std::vector<int64_t> own =
      op == kConst ? AttrTensorShape(FindAttribute(attributes, "value"))
                   : AttrShape(FindAttribute(attributes, "shape"));
  if (IsKnown(own)) shapes = {own};
  return shapes;
}

}  // namespace tfprof
