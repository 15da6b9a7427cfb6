// NodeTable: the operations of a graph and their edges, column by column.
//
// A node is a dense id; ids count up in the order of first appearance. All
// columns have size() entries. Edges are in compressed rows: the inputs of node
// n are the edges edge_begin[n] … edge_begin[n + 1] - 1 in ascending input
// position, control inputs included.
//
// The key of a node is its module and its name (modules.h): no two nodes have
// the same key. Most profiles have one module, and then names are distinct.
//
// An edge identifies its source by a string, because the source may come later
// (a graph lists nodes in any order) or never (a dangling input), and because
// run metadata may create the missing node. So Source() is always up to date.
// The source is in the same module as the node that reads it.
//
// Owned by a Profile and immutable there; strings, shapes, type sets and stacks
// are ids into that profile's tables.

#ifndef TFPROF_PROFILE_TABLES_NODE_TABLE_H_
#define TFPROF_PROFILE_TABLES_NODE_TABLE_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/tables/call_stacks.h"
#include "profile/tables/device_table.h"
#include "profile/tables/modules.h"
#include "profile/tables/scopes.h"
#include "profile/tables/shape_table.h"
#include "profile/tables/string_pool.h"
#include "profile/tables/type_sets.h"

namespace tfprof::profile {

using NodeId = uint32_t;

// The location of a record: the number of its input above 48 bits of byte
// offset. See details.h.
using RecordRef = uint64_t;
inline constexpr RecordRef kNoRecord = ~uint64_t{0};
inline constexpr int kOffsetBits = 48;

inline RecordRef MakeRecordRef(uint32_t input, uint64_t offset) {
  return (static_cast<uint64_t>(input) << kOffsetBits) | offset;
}

struct NodeTable {
  struct OutputShape {
    int32_t index = 0;  // of the output
    ShapeId shape = kUnknownShape;
  };

  size_t size() const { return name.size(); }

  std::vector<StringId> name;
  std::vector<StringId> op;
  std::vector<TypeSetId> types;
  // The `shape` attribute of a parameter or placeholder.
  std::vector<ShapeId> parameter_shape;
  // kNone if the node never ran on a canonical device.
  std::vector<DeviceId> device;
  std::vector<StackId> stack;
  // Float operations of one run; empty if they are 0 for all nodes.
  std::vector<int64_t> float_ops;
  // The record that defined the node, for its attributes.
  std::vector<RecordRef> record;

  // Optional columns. An empty column means the same value for all nodes.
  std::vector<ModuleId> module;  // empty: all in the unnamed module
  // Empty: names are paths (views/name_path.h).
  std::vector<ScopeId> scope;
  // The operation whose gradient this node computes; kNone if it is not a
  // gradient. If empty, the input does not record this, and names decide
  // (accounting/gradients.h).
  std::vector<NodeId> forward_of;
  // The display name of a node: "MODULE/NAME" if another module has a node with
  // the same name. If empty, all labels are the names.
  std::vector<StringId> label;
  // 1 if all executions of the node have the same texts (Profile::Text()). If
  // empty, they may differ for every node.
  std::vector<uint8_t> same_texts;

  std::vector<uint32_t> edge_begin = {0};
  // kNone if a saved profile refers to a missing node.
  std::vector<StringId> edge_source;
  // The output of the source that the edge reads: as the reference sees it (0
  // for every graph, see compatibility.md) and as recorded in the graph. If
  // empty, all are 0.
  std::vector<int32_t> edge_seen_output;
  std::vector<int32_t> edge_output;
  // The file does not record which outputs its edges read. They have output 0,
  // which may be wrong.
  bool misses_outputs = false;
  // The input position; if empty, the edges of a node are at 0, 1, 2 …
  std::vector<int32_t> edge_position;

  std::vector<uint32_t> shape_begin = {0};
  std::vector<OutputShape> output_shape;  // ascending index within a node

  // Maps the string id of a name in the unnamed module to its node or kNone.
  // Shorter than the pool if the last strings are not names.
  std::vector<NodeId> by_name;
  // The same for the other modules.
  absl::flat_hash_map<std::pair<ModuleId, StringId>, NodeId> in_module;

  // Finds a node of the unnamed module, the only module of most profiles.
  NodeId Find(StringId string) const {
    return string < by_name.size() ? by_name[string] : kNone;
  }
  NodeId Find(ModuleId of, StringId string) const {
    return of == kUnnamedModule ? Find(string) : FindInModule(of, string);
  }
  // Finds a node of another module.
  NodeId FindInModule(ModuleId of, StringId string) const;
  ModuleId ModuleOf(NodeId n) const {
    return module.empty() ? kUnnamedModule : module[n];
  }
  // Returns the source of an edge of `reader`; kNone if it does not exist.
  NodeId Source(NodeId reader, uint32_t edge) const {
    return module.empty() ? Find(edge_source[edge])
                          : Find(module[reader], edge_source[edge]);
  }
  // Returns the strings for Profile::node_name(), indexed by node.
  const std::vector<StringId>& labels() const {
    return label.empty() ? name : label;
  }
  uint32_t num_inputs(NodeId n) const {
    return edge_begin[n + 1] - edge_begin[n];
  }
  int32_t Position(NodeId n, uint32_t edge) const {
    return edge_position.empty() ? static_cast<int32_t>(edge - edge_begin[n])
                                 : edge_position[edge];
  }
  // Returns true if the texts of one execution are those of all.
  bool HasSameTexts(NodeId n) const {
    return n < same_texts.size() && same_texts[n] != 0;
  }
  int64_t FloatOps(NodeId n) const {
    return float_ops.empty() ? 0 : float_ops[n];
  }
  // Returns kUnknownShape if the node has no such output.
  ShapeId OutputShapeOf(NodeId n, int32_t index) const {
    for (uint32_t i = shape_begin[n]; i < shape_begin[n + 1]; ++i) {
      if (output_shape[i].index == index) return output_shape[i].shape;
    }
    return kUnknownShape;
  }
  // Returns the shape of the tensor on an edge of `reader`. `real_output`: use
  // the output recorded in the graph, not the one that the reference sees.
  ShapeId InputShape(NodeId reader, uint32_t edge,
                     bool real_output = false) const {
    const NodeId source = Source(reader, edge);
    if (source == kNone) return kUnknownShape;
    const std::vector<int32_t>& output =
        real_output && !edge_output.empty() ? edge_output : edge_seen_output;
    return OutputShapeOf(source, output.empty() ? 0 : output[edge]);
  }

  size_t bytes() const;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_NODE_TABLE_H_
