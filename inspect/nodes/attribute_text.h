// The attributes of a node as text for people.
//
//   type   "float"          shape  "[2,?,3]"        list  "[1, 2, 2, 1]"
//   string "\"NHWC\""       tensor "float [3,3]"    func  "body_12"
//
// Long strings and lists are cut and end with "…", so that a constant of a
// gigabyte fits on a line. A damaged value is "(damaged)".

#ifndef TFPROF_INSPECT_NODES_ATTRIBUTE_TEXT_H_
#define TFPROF_INSPECT_NODES_ATTRIBUTE_TEXT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tfprof::inspect {

struct AttributeText {
  std::string_view type;  // "type", "int", "list(int)"; "" if damaged or empty
  std::string value;
};

// Describes a serialized AttrValue.
AttributeText DescribeAttribute(std::string_view attr_value);

// The name of a tensorflow.DataType in the enum, in lower case: DT_FLOAT is
// "float".
std::string DataTypeText(uint64_t type);

// "[2,?,3]"; "?" for an unknown rank, "[]" for a scalar.
std::string ShapeText(std::span<const int64_t> dims);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_NODES_ATTRIBUTE_TEXT_H_
