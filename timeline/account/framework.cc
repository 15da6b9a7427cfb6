#include "timeline/account/framework.h"

#include <string_view>
#include <vector>

namespace tfprof::timeline {
namespace {

// Types of operations that nearly every graph of TensorFlow has.
constexpr std::string_view kTensorFlowOps[] = {
    "MatMul",      "Conv2D", "Const",    "NoOp",           "VariableV2",
    "Cast",        "AddV2",  "_SOURCE",  "ReadVariableOp", "Reshape",
    "VarHandleOp", "Relu",   "Identity", "Placeholder",    "BiasAdd"};

}  // namespace

Framework FrameworkOf(const profile::Profile& profile) {
  const profile::StringPool& strings = profile.strings();
  const std::vector<profile::StringId>& ops = profile.nodes().op;
  for (const profile::StringId op : ops) {
    if (strings.Get(op).starts_with("aten::")) return Framework::kTorch;
  }
  for (const profile::ModuleId module : profile.nodes().module) {
    const std::string_view name = profile.module_name(module);
    if (name.starts_with("jit_") || name.starts_with("pmap_")) {
      return Framework::kJax;
    }
  }
  for (const std::string_view op : kTensorFlowOps) {
    const profile::StringId id = strings.Find(op);
    if (id == profile::kNone) continue;
    for (const profile::StringId of_node : ops) {
      if (of_node == id) return Framework::kTensorFlow;
    }
  }
  return Framework::kUnknown;
}

}  // namespace tfprof::timeline
