// Reads the values of attributes from serialized AttrValue messages, which
// Profile::Attributes() and DetailReader return. GraphDef and ProfileProto use
// the same message.
//
// Shapes are in the convention of ShapeTable. A value of another kind reads as
// absent, and so does a damaged one. Views are valid as long as the bytes.

#ifndef TFPROF_PROFILE_ATTR_VALUE_H_
#define TFPROF_PROFILE_ATTR_VALUE_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profile/details.h"

namespace tfprof::profile {

// Returns the value of `key`, or "" (a valid AttrValue without a value) if
// there is none.
std::string_view FindAttribute(const AttributeList& attributes,
                               std::string_view key);

// Decodes a serialized TensorShapeProto: [] for an unknown rank, [1] for a
// scalar. Returns false if it is damaged.
bool ReadShape(std::string_view bytes, std::vector<int64_t>& dims);

// Returns the content of the oneof field `number` of a serialized AttrValue if
// that field is set.
std::optional<std::string_view> AttrMember(std::string_view attr_value,
                                           uint32_t number);

std::optional<std::string_view> AttrString(std::string_view attr_value);
bool AttrBool(std::string_view attr_value);  // false if absent
std::vector<int64_t> AttrShape(std::string_view attr_value);
// Values of list attributes.
std::vector<int64_t> AttrInts(std::string_view attr_value);
std::vector<std::vector<int64_t>> AttrShapes(std::string_view attr_value);
// The shape of a tensor.
std::vector<int64_t> AttrTensorShape(std::string_view attr_value);
// Returns the name of a function, or the names in a list of functions.
std::vector<std::string_view> AttrFunctions(std::string_view attr_value);

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_ATTR_VALUE_H_
