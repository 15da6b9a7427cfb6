// Parses lists in the arguments of an execution, in the form of traces: "[[1,
// 64], [], [[2, 3], [4]]]", "[\"float\", \"\", \"[3, 3]\"]".
//
// The text comes from a file and may be anything. Parsing never fails and never
// recurses: a text that is not such a list gives an empty result. At most
// kMaxElements elements are read.

#ifndef TFPROF_FLOPS_ARGUMENT_LIST_H_
#define TFPROF_FLOPS_ARGUMENT_LIST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::flops {

inline constexpr size_t kMaxElements = 4096;

// The shapes of an operation's arguments. Each argument has a list of shapes,
// because it may be a list of tensors. An argument that is not a tensor has one
// empty shape.
using ArgumentShapes = std::vector<std::vector<std::vector<int64_t>>>;
ArgumentShapes ParseShapes(std::string_view text);

// Returns the strings of a list. An element that is not a string is returned as
// its text.
std::vector<std::string> ParseStrings(std::string_view text);

// Returns the integers of "[14, 14]" or "1".
std::vector<int64_t> ParseInts(std::string_view text);

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_ARGUMENT_LIST_H_
