// Makes graphs and attributes from text, for tests of float operations. Text
// that does not parse fails the test.

#ifndef TFPROF_FLOPS_FLOPS_TESTING_H_
#define TFPROF_FLOPS_FLOPS_TESTING_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace tfprof::flops {

// Returns a serialized AttrValue.
std::string AttrBytes(std::string_view text);

// Returns the attribute `_output_shapes` of a NodeDef, with one shape for each
// output.
std::string OutputShapesAttr(
    std::initializer_list<std::vector<int64_t>> shapes);

// Returns the profile of a GraphDef and, unless empty, of a RunMetadata as step
// 0.
profile::Profile ProfileOfGraph(std::string_view graph,
                                std::string_view run = "");

// Returns the node with this name, which must exist.
profile::NodeId NodeNamed(const profile::Profile& profile,
                          std::string_view name);

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_FLOPS_TESTING_H_
