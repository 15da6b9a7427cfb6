#include "flops/function_flops.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "flops/formulas.h"
#include "flops/static_shapes.h"
#include "profile/attr_value.h"
#include "util/arithmetic.h"

namespace tfprof::flops {
namespace {

absl::string_view View(std::string_view s) { return {s.data(), s.size()}; }

// Ops that call functions, and the attributes that have the functions' names.
struct CallOp {
  std::string_view op;
  std::string_view attributes[2];
  bool largest = false;
};
constexpr CallOp kCallOps[] = {
    {"PartitionedCall", {"f"}},
    {"StatefulPartitionedCall", {"f"}},
    {"If", {"then_branch", "else_branch"}, true},
    {"StatelessIf", {"then_branch", "else_branch"}, true},
    {"Case", {"branches"}, true},
    {"StatelessCase", {"branches"}, true},
    {"While", {"cond", "body"}},
    {"StatelessWhile", {"cond", "body"}},
};

const CallOp* FindCallOp(std::string_view op) {
  const auto it = std::find_if(std::begin(kCallOps), std::end(kCallOps),
                               [op](const CallOp& c) { return c.op == op; });
  return it == std::end(kCallOps) ? nullptr : it;
}

// The shapes in one function body.
class BodyShapes {
 public:
  explicit BodyShapes(const profile::FunctionBody& body) {
    for (const profile::FunctionBody::Argument& argument : body.arguments) {
      arguments_.try_emplace(View(argument.name), argument.shape);
    }
    outputs_.reserve(body.nodes.size());
    for (const profile::FunctionBody::Node& node : body.nodes) {
      Outputs outputs;
      outputs.shapes = StaticOutputShapes(node.op, node.attributes);
      if (outputs.shapes.empty()) {
        // Infer shapes in file order: most nodes come after their inputs.
        auto inferred =
            InferOutputShape(node.op, Inputs(node), node.attributes);
        if (!inferred.empty()) outputs.shapes.push_back(std::move(inferred));
      }
      for (const auto& shape : outputs.shapes) {
        outputs.same &= shape == outputs.shapes[0];
      }
      nodes_.try_emplace(View(node.name), outputs_.size());
      outputs_.push_back(std::move(outputs));
    }
  }

  // Returns the shape of a node's first output.
  Dims Output(size_t node) const {
    const auto& shapes = outputs_[node].shapes;
    return shapes.empty() ? Dims() : Dims(shapes[0]);
  }

  // Returns the shapes of a node's first inputs.
  std::array<Dims, Operation::kMaxInputs> Inputs(
      const profile::FunctionBody::Node& node) const {
    std::array<Dims, Operation::kMaxInputs> inputs;
    for (size_t i = 0; i < inputs.size() && i < node.inputs.size(); ++i) {
      inputs[i] = Input(node.inputs[i]);
    }
    return inputs;
  }

 private:
  struct Outputs {
    std::vector<std::vector<int64_t>> shapes;
    bool same = true;  // all shapes are equal
  };

  // Returns the shape of "argument" or "node:output_name:index".
  Dims Input(std::string_view input) const {
    const size_t colon = std::min(input.find(':'), input.size());
    const absl::string_view name = View(input.substr(0, colon));
    if (const auto argument = arguments_.find(name);
        argument != arguments_.end() && colon == input.size()) {
      return argument->second;
    }
    const auto node = nodes_.find(name);
    if (node == nodes_.end()) return {};
    const auto& shapes = outputs_[node->second].shapes;
    if (shapes.empty()) return {};
    // Only the op's definition, which is not in the file, maps output names to
    // outputs. This does not matter if all outputs have the same shape. Ops
    // with a list of outputs call it "output".
    if (outputs_[node->second].same) return shapes[0];
    constexpr std::string_view kListName = ":output:";
    const std::string_view rest = input.substr(colon);
    if (!rest.starts_with(kListName)) return {};
    size_t index = shapes.size();
    const std::string_view number = rest.substr(kListName.size());
    std::from_chars(number.data(), number.data() + number.size(), index);
    return index < shapes.size() ? Dims(shapes[index]) : Dims();
  }

  absl::flat_hash_map<absl::string_view, Dims> arguments_;
  absl::flat_hash_map<absl::string_view, size_t> nodes_;
  std::vector<Outputs> outputs_;
};

void Add(FunctionFlops::Figure& sum, const FunctionFlops::Figure& other) {
  sum.flops = util::SaturatingAdd(sum.flops, other.flops);
  sum.complete &= other.complete;
}

}  // namespace

FunctionFlops::FunctionFlops(const profile::Profile& profile)
    : profile_(profile) {
  for (const auto& [name, record] : profile.Functions()) {
    const auto id = static_cast<FunctionId>(functions_.size());
    if (!by_name_.try_emplace(View(name), id).second) continue;
    functions_.emplace_back();
    functions_.back().record = record;
  }
  Function missing;
  missing.state = Function::State::kDone;
  missing.figure.complete = false;
  functions_.push_back(std::move(missing));
}

bool FunctionFlops::IsCall(std::string_view op) const {
  return FindCallOp(op) != nullptr || by_name_.contains(View(op));
}

FunctionFlops::Call FunctionFlops::FindCallees(
    std::string_view op, const profile::AttributeList& attributes) const {
  Call call;
  const auto add = [&](std::string_view name) {
    const auto it = by_name_.find(View(name));
    call.callees.push_back(it == by_name_.end()
                               ? static_cast<FunctionId>(functions_.size() - 1)
                               : it->second);
  };
  const CallOp* call_op = FindCallOp(op);
  if (call_op == nullptr) {
    add(op);  // an op with the name of a function
    return call;
  }
  call.largest = call_op->largest;
  for (const std::string_view key : call_op->attributes) {
    if (key.empty()) continue;
    const auto names =
        profile::AttrFunctions(profile::FindAttribute(attributes, key));
    if (names.empty()) add("");
    for (const std::string_view name : names) add(name);
  }
  return call;
}

void FunctionFlops::Read(Function& function) const {
  const profile::FunctionBody body = profile_.Function(function.record);
  const BodyShapes shapes(body);
  for (size_t n = 0; n < body.nodes.size(); ++n) {
    const profile::FunctionBody::Node& node = body.nodes[n];
    if (IsCall(node.op)) {
      function.calls.push_back(FindCallees(node.op, node.attributes));
      continue;
    }
    const Formula* formula = FindFormula(node.op);
    if (formula == nullptr) continue;
    Operation operation;
    operation.num_inputs = node.inputs.size();
    operation.inputs = shapes.Inputs(node);
    operation.output = shapes.Output(n);
    operation.attributes = node.attributes;
    const Flops flops = formula->compute(operation);
    Add(function.figure,
        {flops.value, flops.outcome == Flops::Outcome::kKnown});
  }
}

FunctionFlops::Figure FunctionFlops::Combine(const Call& call) const {
  Figure result;
  for (const FunctionId id : call.callees) {
    const Function& callee = functions_[id];
    Figure figure = callee.figure;
    // If a function is not done here, it is still being resolved, so it calls
    // itself.
    if (callee.state != Function::State::kDone) figure = {0, false};
    if (call.largest) {
      result.flops = std::max(result.flops, figure.flops);
      result.complete &= figure.complete;
    } else {
      Add(result, figure);
    }
  }
  return result;
}

// Depth-first search with an explicit stack. A function stays on the stack
// below the functions that it calls. When it is on top again, they are done, or
// still open because they call it.
void FunctionFlops::Resolve(FunctionId root) {
  std::vector<FunctionId> stack = {root};
  while (!stack.empty()) {
    const FunctionId id = stack.back();
    switch (functions_[id].state) {
      case Function::State::kNew:
        Read(functions_[id]);
        functions_[id].state = Function::State::kOpen;
        for (const Call& call : functions_[id].calls) {
          for (const FunctionId callee : call.callees) {
            if (functions_[callee].state == Function::State::kNew) {
              stack.push_back(callee);
            }
          }
        }
        break;
      case Function::State::kOpen: {
        Figure figure = functions_[id].figure;
        for (const Call& call : functions_[id].calls) {
          Add(figure, Combine(call));
        }
        functions_[id].figure = figure;
        functions_[id].calls = {};
        functions_[id].state = Function::State::kDone;
        stack.pop_back();
        break;
      }
      case Function::State::kDone:
        stack.pop_back();  // it was on the stack twice
        break;
    }
  }
}

FunctionFlops::Figure FunctionFlops::OfCall(
    std::string_view op, const profile::AttributeList& attributes) {
  const Call call = FindCallees(op, attributes);
  for (const FunctionId id : call.callees) Resolve(id);
  return Combine(call);
}

}  // namespace tfprof::flops
