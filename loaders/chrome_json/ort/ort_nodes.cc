#include "loaders/chrome_json/ort/ort_nodes.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "loaders/onnx/onnx_names.h"

namespace tfprof::chrome_json {
namespace {

// Suffixes of tensors that the optimizer converted to another layout.
constexpr std::string_view kLayouts[] = {"_nchwc", "_nhwc"};

}  // namespace

profile::NodeId OrtNodes::Operation(std::string_view name,
                                    std::string_view op) {
  profile::StringPool& strings = builder_.mutable_graph().strings;
  const profile::StringId op_id = strings.Intern(op);
  const auto [it, is_new] =
      known_.try_emplace({strings.Intern(name), op_id}, profile::kNone);
  if (!is_new) return it->second;
  const profile::NodeId node = FindOrMake(name, op_id);
  // FindOrMake does not change known_.
  it->second = node;
  ++num_operations_;
  return node;
}

profile::NodeId OrtNodes::Other(std::string_view scope, std::string_view name) {
  return nodes_.Node(nodes_.Scope(profile::kRootScope, scope), name,
                     profile::kNoStack);
}

profile::NodeId OrtNodes::FindOrMake(std::string_view name,
                                     profile::StringId op) {
  const std::vector<std::string_view> parts = onnx::OnnxPath(name);
  const profile::NodeTable& table = builder_.graph().nodes;
  profile::NodeId same_name = FindPath(parts);
  if (same_name != profile::kNone && table.op[same_name] == op) {
    ++num_in_model_;
    return same_name;
  }
  std::string_view tensor = name;
  for (const std::string_view layout : kLayouts) {
    if (tensor.ends_with(layout)) tensor.remove_suffix(layout.size());
  }
  const profile::NodeId by_tensor = FindByTensor(tensor, op);
  if (by_tensor != profile::kNone) {
    ++num_in_model_;
    return by_tensor;
  }
  // The name of a fused operation begins with the name of one of its parts.
  const bool fused = name.ends_with('/') && parts.size() > 1;
  if (same_name == profile::kNone && parts.size() > 1) {
    same_name = FindPath({parts.data(), parts.size() - 1});
  }
  if (same_name == profile::kNone) same_name = Producer(tensor);
  std::string label =
      parts.empty() ? std::string(name) : std::string(parts.back());
  profile::ScopeId scope = profile::kRootScope;
  profile::StackId stack = profile::kNoStack;
  if (same_name != profile::kNone && !table.scope.empty()) {
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
  const profile::NodeId node =
      builder_.AddNode(nodes_.Reserve(scope, label), op, profile::kNoRecord);
  builder_.SetScope(node, scope);
  builder_.mutable_graph().nodes.stack[node] = stack;
  return node;
}

// Searches the model, where names are paths.
profile::NodeId OrtNodes::FindPath(
    std::span<const std::string_view> parts) const {
  std::string path;
  for (const std::string_view part : parts) {
    if (!path.empty()) path.push_back('/');
    path.append(part);
  }
  const profile::GraphTables& graph = builder_.graph();
  return graph.nodes.Find(graph.strings.Find(path));
}

profile::NodeId OrtNodes::Producer(std::string_view tensor) const {
  const profile::StringId id = builder_.graph().strings.Find(tensor);
  if (id == profile::kNone) return profile::kNone;
  const auto& producers = context_.tensor_producers;
  const auto it = std::lower_bound(producers.begin(), producers.end(),
                                   std::pair(id, profile::NodeId{0}));
  return it != producers.end() && it->first == id ? it->second : profile::kNone;
}

// Searches from the producer of the tensor backwards, nearest first.
profile::NodeId OrtNodes::FindByTensor(std::string_view tensor,
                                       profile::StringId op) const {
  const profile::NodeTable& table = builder_.graph().nodes;
  std::deque<std::pair<profile::NodeId, int>> open = {{Producer(tensor), 0}};
  // Bounds the walk, because a graph may branch and join at each step.
  constexpr int kMaxVisits = 64;
  for (int visits = 0; !open.empty() && visits < kMaxVisits; ++visits) {
    const auto [node, distance] = open.front();
    open.pop_front();
    if (node == profile::kNone) continue;
    if (table.op[node] == op) return node;
    if (distance == kMaxFused) continue;
    for (uint32_t e = table.edge_begin[node]; e < table.edge_begin[node + 1];
         ++e) {
      open.push_back({table.Source(node, e), distance + 1});
    }
  }
  return profile::kNone;
}

}  // namespace tfprof::chrome_json
