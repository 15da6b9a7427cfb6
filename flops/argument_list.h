// Lists in the arguments of an execution, as a trace writes them:
// "[[1, 64], [], [[2, 3], [4]]]", "[\"float\", \"\", \"[3, 3]\"]".
//
// The text comes from a file and may be anything. Reading never fails and never
// recurses: what is not a list of this kind is an empty result. At most
// kMaxElements elements are read.

#ifndef TFPROF_FLOPS_ARGUMENT_LIST_H_
#define TFPROF_FLOPS_ARGUMENT_LIST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

inline constexpr size_t kMaxElements = 4096;

// The shapes of the arguments of an operation: for each one a list, because an
// argument may be a list of tensors. An argument that is no tensor has one
// empty shape.
using ArgumentShapes = std::vector<std::vector<std::vector<int64_t>>>;
ArgumentShapes ParseShapes(std::string_view text);

// The strings of a list; an element that is no string is its text.
std::vector<std::string> ParseStrings(std::string_view text);

// The integers of "[14, 14]" or "1".
std::vector<int64_t> ParseInts(std::string_view text);

}  // namespace tfprof

#endif  // TFPROF_FLOPS_ARGUMENT_LIST_H_
