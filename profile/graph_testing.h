// Adds a node with its inputs in one call, for tests that need graphs.

#ifndef TFPROF_PROFILE_GRAPH_TESTING_H_
#define TFPROF_PROFILE_GRAPH_TESTING_H_

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "profile/profile_builder.h"

namespace tfprof::profile {

inline NodeId AddNodeWithInputs(ProfileBuilder& builder, std::string_view name,
                                std::string_view op,
                                std::initializer_list<std::string_view> inputs,
                                std::initializer_list<int64_t> output_shape) {
  const NodeId n = builder.AddNode(name, op, kNoRecord);
  GraphTables& graph = builder.mutable_graph();
  int32_t position = 0;
  for (const std::string_view input : inputs) {
    builder.AddEdge(graph.strings.Intern(input), position++, 0, 0);
  }
  builder.AddOutputShape(0, graph.shapes.Intern(std::vector(output_shape)));
  return n;
}

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_GRAPH_TESTING_H_
