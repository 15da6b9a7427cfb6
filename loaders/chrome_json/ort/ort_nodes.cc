#include "loaders/chrome_json/ort/ort_nodes.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "loaders/onnx/onnx_names.h"

namespace tfprof {
namespace {

// Suffixes of tensors that the optimizer converted to another layout.
constexpr std::string_view kLayouts[] = {"_nchwc", "_nhwc"};

}  // namespace

NodeId OrtNodes::Operation(std::string_view name, std::string_view op) {
  StringPool& strings = builder_.mutable_graph().strings;
  const StringId op_id = strings.Intern(op);
  const auto [it, is_new] =
      known_.try_emplace({strings.Intern(name), op_id}, kNone);
  if (!is_new) return it->second;
  const NodeId node = FindOrMake(name, op_id);
  // FindOrMake does not change known_.
  it->second = node;
  ++num_operations_;
  return node;
}

NodeId OrtNodes::Other(std::string_view scope, std::string_view name) {
  return nodes_.Node(nodes_.Scope(kRootScope, scope), name, kNoStack);
}

NodeId OrtNodes::FindOrMake(std::string_view name, StringId op) {
  const std::vector<std::string_view> parts = OnnxPath(name);
  const NodeTable& table = builder_.graph().nodes;
  NodeId same_name = FindPath(parts);
  if (same_name != kNone && table.op[same_name] == op) {
    ++num_in_model_;
    return same_name;
  }
  std::string_view tensor = name;
  for (const std::string_view layout : kLayouts) {
    if (tensor.ends_with(layout)) tensor.remove_suffix(layout.size());
  }
  const NodeId by_tensor = FindByTensor(tensor, op);
  if (by_tensor != kNone) {
    ++num_in_model_;
    return by_tensor;
  }
  // The name of a fused operation begins with the name of one of its parts.
  const bool fused = name.ends_with('/') && parts.size() > 1;
  if (same_name == kNone && parts.size() > 1) {
    same_name = FindPath({parts.data(), parts.size() - 1});
  }
  if (same_name == kNone) same_name = Producer(tensor);
  std::string label =
      parts.empty() ? std::string(name) : std::string(parts.back());
  ScopeId scope = kRootScope;
  StackId stack = kNoStack;
  if (same_name != kNone && !table.scope.empty()) {
    scope = table.scope[same_name];
    stack = table.stack[same_name];
  } else {
    const size_t in_label = fused ? 2 : 1;
    for (size_t i = 0; i + in_label < parts.size(); ++i) {
      scope = nodes_.Scope(scope, parts[i]);
    }
    if (fused) {
      std::string longer(parts[parts.size() - 2]);
      longer += '/';
      longer += label;
      label = std::move(longer);
    }
  }
  const NodeId node =
      builder_.AddNode(nodes_.Reserve(scope, label), op, kNoRecord);
  builder_.SetScope(node, scope);
  builder_.mutable_graph().nodes.stack[node] = stack;
  return node;
}

// Searches the model, where names are paths.
NodeId OrtNodes::FindPath(std::span<const std::string_view> parts) const {
  std::string path;
  for (const std::string_view part : parts) {
    if (!path.empty()) path.push_back('/');
    path.append(part);
  }
  const GraphTables& graph = builder_.graph();
  return graph.nodes.Find(graph.strings.Find(path));
}

NodeId OrtNodes::Producer(std::string_view tensor) const {
  const StringId id = builder_.graph().strings.Find(tensor);
  if (id == kNone) return kNone;
  const auto& producers = context_.tensor_producers;
  const auto it = std::lower_bound(producers.begin(), producers.end(),
                                   std::pair(id, NodeId{0}));
  return it != producers.end() && it->first == id ? it->second : kNone;
}

// Searches from the producer of the tensor backwards, nearest first.
NodeId OrtNodes::FindByTensor(std::string_view tensor, StringId op) const {
  const NodeTable& table = builder_.graph().nodes;
  std::deque<std::pair<NodeId, int>> open = {{Producer(tensor), 0}};
  // Bounds the walk, because a graph may branch and join at each step.
  constexpr int kMaxVisits = 64;
  for (int visits = 0; !open.empty() && visits < kMaxVisits; ++visits) {
    const auto [node, distance] = open.front();
    open.pop_front();
    if (node == kNone) continue;
    if (table.op[node] == op) return node;
    if (distance == kMaxFused) continue;
    for (uint32_t e = table.edge_begin[node]; e < table.edge_begin[node + 1];
         ++e) {
      open.push_back({table.Source(node, e), distance + 1});
    }
  }
  return kNone;
}

}  // namespace tfprof
