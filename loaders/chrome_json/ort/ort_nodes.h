// OrtNodes: makes the nodes of a profile of ONNX Runtime, and finds their place
// in an ONNX model if one is loaded.
//
// The runtime optimizes a graph before it runs it, so names differ from the
// names in the model. An operation is found in this order:
//
//   1. the operation of the model with the same name and type;
//   2. the operation of the same type that makes a tensor of that name, or is
//      up to kMaxFused operations before it ("r0_nchwc" is the fused form of
//      the convolution before the relu that makes r0);
//   3. otherwise it is a new node, with the scope and the call stack of the
//      operation with the same name, or in its scope
//      ("/norm1/Mul/LayerNormFusion/" is in the scope of /norm1/Mul);
//   4. without any of these, it is in the scope that its name gives.

#ifndef TFPROF_LOADERS_CHROME_JSON_ORT_ORT_NODES_H_
#define TFPROF_LOADERS_CHROME_JSON_ORT_ORT_NODES_H_

#include <span>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "loaders/core/load_context.h"
#include "loaders/nodes/trace_nodes.h"

namespace tfprof::chrome_json {

class OrtNodes {
 public:
  static constexpr int kMaxFused = 4;

  // The context must outlive this.
  explicit OrtNodes(loaders::LoadContext& context)
      : context_(context), builder_(context.builder), nodes_(builder_) {}

  // Returns the node of an operation, by its name in the profile.
  profile::NodeId Operation(std::string_view name, std::string_view op);
  // Returns the node of something that is not an operation: a part of a
  // session, or a kernel without an operation.
  profile::NodeId Other(std::string_view scope, std::string_view name);

  int64_t num_in_model() const { return num_in_model_; }
  int64_t num_operations() const { return num_operations_; }

 private:
  profile::NodeId FindOrMake(std::string_view name, profile::StringId op);
  profile::NodeId FindByTensor(std::string_view tensor,
                               profile::StringId op) const;
  profile::NodeId Producer(std::string_view tensor) const;
  profile::NodeId FindPath(std::span<const std::string_view> parts) const;

  loaders::LoadContext& context_;
  profile::ProfileBuilder& builder_;
  loaders::TraceNodes nodes_;
  // Keyed by name and operation.
  absl::flat_hash_map<std::pair<profile::StringId, profile::StringId>,
                      profile::NodeId>
      known_;
  int64_t num_in_model_ = 0;
  int64_t num_operations_ = 0;
};

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_ORT_ORT_NODES_H_
