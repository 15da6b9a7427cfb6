#include "loaders/onnx/onnx.h"

#include <algorithm>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "loaders/nodes/trace_nodes.h"
#include "loaders/onnx/onnx_graph.h"
#include "loaders/onnx/onnx_names.h"
#include "util/files/wire.h"

namespace tfprof::onnx {
namespace {

class OnnxDetails : public profile::DetailReader {
 public:
  explicit OnnxDetails(std::shared_ptr<const loaders::InputFile> file)
      : file_(std::move(file)) {}

  profile::AttributeList Attributes(uint64_t) const override { return {}; }
  profile::ExecutionDetail Execution(uint64_t, bool) const override {
    return {};
  }
  // `offset` is the offset of the field of a NodeProto.
  std::vector<std::string_view> Inputs(uint64_t offset) const override {
    std::vector<std::string_view> inputs;
    util::WireReader field(file_->bytes().substr(offset));
    if (!field.Next()) return inputs;
    util::WireReader node(field.view());
    while (node.Next()) {
      if (node.tag() == util::LengthTag(1)) inputs.push_back(node.view());
    }
    return inputs;
  }
  bool record_is_group() const override { return false; }

 private:
  const std::shared_ptr<const loaders::InputFile> file_;
};

class Loader {
 public:
  Loader(std::shared_ptr<const loaders::InputFile> file,
         loaders::LoadContext& context)
      : file_(*file),
        context_(context),
        builder_(context.builder),
        input_(
            builder_.AddInput(std::make_shared<OnnxDetails>(std::move(file)))),
        nodes_(builder_) {}

  absl::Status Load() {
    const std::string_view bytes = file_.bytes();
    OnnxModel model;
    const bool whole = ReadOnnxModel(bytes, model);
    if (!model.has_graph) {
      return absl::InvalidArgumentError(
          fmt::format("{}: no graph in {} bytes: not an ONNX model",
                      file_.path(), bytes.size()));
    }
    if (!whole) NoteDamage(bytes, "ONNX model");
    std::deque<std::string_view> graphs = {model.graph};
    for (; !graphs.empty() && !context_.work.cancelled(); graphs.pop_front()) {
      LoadGraph(graphs.front(), graphs);
    }
    if (model.num_functions > 0) {
      context_.log.Count(loaders::ImportLog::kNotice,
                         "function of ONNX model not read",
                         model.num_functions);
    }
    std::sort(context_.tensor_producers.begin(),
              context_.tensor_producers.end());
    context_.progress->done += static_cast<int64_t>(bytes.size());
    return absl::OkStatus();
  }

 private:
  // A node that will be added, and where.
  struct Planned {
    profile::StringId name = profile::kNone;
    profile::ScopeId scope = profile::kRootScope;
  };
  struct Producer {
    profile::StringId node = profile::kNone;  // its name
    int32_t output = 0;
  };

  profile::StringPool& strings() { return builder_.mutable_graph().strings; }

  void NoteDamage(std::string_view message, std::string_view what) {
    context_.log.Add(
        loaders::ImportLog::kDamage, fmt::format("{} cut short", what),
        fmt::format("{}: byte {}: {} of {} bytes is damaged; kept what could "
                    "be read",
                    file_.path(), file_.OffsetOf(message), what,
                    message.size()));
  }

  void LoadGraph(std::string_view bytes, std::deque<std::string_view>& graphs) {
    OnnxGraph graph;
    if (!ReadOnnxGraph(bytes, graph)) NoteDamage(bytes, "ONNX graph");
    // An edge names its source, so all nodes get their names first.
    std::vector<Planned> planned = PlanNodes(graph);
    for (const OnnxTensor& value : graph.values) {
      shapes_.try_emplace(strings().Intern(value.name), Shape(value));
    }
    AddTensors(graph, planned);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      AddNode(graph.nodes[i], planned[i],
              file_.OffsetOf(bytes) + graph.nodes[i].field);
      for (const std::string_view subgraph : graph.nodes[i].subgraphs) {
        graphs.push_back(subgraph);
      }
    }
  }

  profile::ScopeId ScopeOf(const OnnxNode& node,
                           const std::vector<std::string_view>& path) {
    const std::vector<std::string> said =
        OnnxScopeOfProperties(node.name_scopes, node.name_space);
    profile::ScopeId scope = profile::kRootScope;
    for (const std::string& part : said) scope = nodes_.Scope(scope, part);
    for (size_t i = 0; i + 1 < path.size(); ++i) {
      scope = nodes_.Scope(scope, path[i]);
    }
    return scope;
  }

  // Returns names for all nodes of the graph, and notes which tensors they
  // make.
  std::vector<Planned> PlanNodes(const OnnxGraph& graph) {
    std::vector<Planned> planned;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const OnnxNode& node = graph.nodes[i];
      std::vector<std::string_view> path = OnnxPath(node.name);
      const std::string unnamed = fmt::format("{}_{}", node.op, i);
      if (path.empty()) path = {unnamed};
      const profile::ScopeId scope = ScopeOf(node, path);
      planned.push_back({nodes_.Reserve(scope, path.back()), scope});
      for (size_t k = 0; k < node.outputs.size(); ++k) {
        if (node.outputs[k].empty()) continue;
        producers_.try_emplace(
            strings().Intern(node.outputs[k]),
            Producer{planned.back().name, static_cast<int32_t>(k)});
      }
    }
    return planned;
  }

  profile::ShapeId Shape(const OnnxTensor& tensor) {
    return builder_.mutable_graph().shapes.Intern(tensor.dims);
  }

  // Adds the inputs and initializers of a graph. An initializer is in the scope
  // of its first reader.
  void AddTensors(const OnnxGraph& graph, const std::vector<Planned>& planned) {
    absl::flat_hash_map<profile::StringId, profile::ScopeId> scope_of_tensor;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const std::string_view input : graph.nodes[i].inputs) {
        scope_of_tensor.try_emplace(strings().Intern(input), planned[i].scope);
      }
    }
    for (const OnnxTensor& tensor : graph.initializers) {
      const profile::StringId name = strings().Intern(tensor.name);
      const auto reader = scope_of_tensor.find(name);
      const profile::NodeId node =
          AddTensor(tensor, kOnnxInitializer,
                    reader == scope_of_tensor.end() ? profile::kRootScope
                                                    : reader->second);
      if (node == profile::kNone || !IsWeightType(tensor.data_type)) continue;
      builder_.mutable_graph().nodes.parameter_shape[node] = Shape(tensor);
    }
    // Models of old versions also list initializers as inputs.
    for (const OnnxTensor& tensor : graph.inputs) {
      AddTensor(tensor, kOnnxInput, profile::kRootScope);
    }
  }

  // Returns kNone if another node makes the tensor.
  profile::NodeId AddTensor(const OnnxTensor& tensor, std::string_view op,
                            profile::ScopeId scope) {
    const profile::StringId name = nodes_.Reserve(scope, tensor.name);
    if (!producers_
             .try_emplace(strings().Intern(tensor.name), Producer{name, 0})
             .second) {
      return profile::kNone;
    }
    const profile::NodeId node =
        builder_.AddNode(name, strings().Intern(op), profile::kNoRecord);
    builder_.SetScope(node, scope);
    builder_.AddOutputShape(0, Shape(tensor));
    return node;
  }

  // `offset` is the offset of the field of the node.
  void AddNode(const OnnxNode& node, const Planned& planned, size_t offset) {
    const profile::NodeId n =
        builder_.AddNode(planned.name, strings().Intern(node.op),
                         profile::MakeRecordRef(input_, offset));
    if (n == profile::kNone) return;
    builder_.SetScope(n, planned.scope);
    builder_.mutable_graph().nodes.stack[n] = StackOf(node);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i].empty()) continue;
      const profile::StringId tensor = strings().Intern(node.inputs[i]);
      const auto producer = producers_.find(tensor);
      // If no node makes the tensor, the edge has no source node.
      const Producer from =
          producer == producers_.end() ? Producer{tensor, 0} : producer->second;
      builder_.AddEdge(from.node, static_cast<int32_t>(i), from.output,
                       from.output);
    }
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      if (node.outputs[k].empty()) continue;  // not used
      const profile::StringId tensor = strings().Intern(node.outputs[k]);
      const auto shape = shapes_.find(tensor);
      builder_.AddOutputShape(
          static_cast<int32_t>(k),
          shape == shapes_.end() ? profile::kUnknownShape : shape->second);
      context_.tensor_producers.push_back({tensor, n});
    }
  }

  profile::StackId StackOf(const OnnxNode& node) {
    profile::GraphTables& graph = builder_.mutable_graph();
    profile::StackId stack = profile::kNoStack;
    for (const OnnxFrame& frame : ParsePythonStack(node.stack_trace)) {
      graph.has_code_traces = true;
      stack = graph.stacks.Push(
          stack,
          profile::Frame{.file = graph.strings.Intern(frame.file),
                         .function = graph.strings.Intern(frame.function),
                         .line = frame.source.empty()
                                     ? profile::kNone
                                     : graph.strings.Intern(frame.source),
                         .lineno = frame.line});
    }
    return stack;
  }

  const loaders::InputFile& file_;
  loaders::LoadContext& context_;
  profile::ProfileBuilder& builder_;
  const uint32_t input_;
  loaders::TraceNodes nodes_;
  // Keyed by the name of a tensor.
  absl::flat_hash_map<profile::StringId, Producer> producers_;
  absl::flat_hash_map<profile::StringId, profile::ShapeId> shapes_;
};

}  // namespace

absl::Status LoadOnnx(std::shared_ptr<const loaders::InputFile> file,
                      loaders::LoadContext& context) {
  return Loader(std::move(file), context).Load();
}

}  // namespace tfprof::onnx
