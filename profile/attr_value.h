// Values of attributes: what is in the serialized AttrValue messages that
// Profile::Attributes() and DetailReader give, in GraphDef as in ProfileProto.
//
// Shapes are in the convention of ShapeTable. A value of another kind, and a
// damaged one, read as absent. Views live as long as the bytes.

#ifndef TFPROF_PROFILE_ATTR_VALUE_H_
#define TFPROF_PROFILE_ATTR_VALUE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profile/details.h"

namespace tfprof {

// The value of a key; "", which is a valid AttrValue of no kind, if there is
// none.
std::string_view FindAttribute(const AttributeList& attributes,
                               std::string_view key);

// Decodes a serialized TensorShapeProto: [] for an unknown rank, [1] for a
// scalar. False: damaged.
bool ReadShape(std::string_view bytes, std::vector<int64_t>& dims);

// The content of the oneof field `number` of a serialized AttrValue, if that
// is the one that is set.
std::optional<std::string_view> AttrMember(std::string_view attr_value,
                                           uint32_t number);

std::optional<std::string_view> AttrString(std::string_view attr_value);
bool AttrBool(std::string_view attr_value);  // false is the default
std::vector<int64_t> AttrShape(std::string_view attr_value);
// Of lists.
std::vector<int64_t> AttrInts(std::string_view attr_value);
std::vector<std::vector<int64_t>> AttrShapes(std::string_view attr_value);
// The shape of a tensor.
std::vector<int64_t> AttrTensorShape(std::string_view attr_value);
// The name of a function, or those of a list of functions.
std::vector<std::string_view> AttrFunctions(std::string_view attr_value);

}  // namespace tfprof

#endif  // TFPROF_PROFILE_ATTR_VALUE_H_
