// Attributes of nodes: AttrValue messages, in GraphDef as in ProfileProto.

#ifndef TFPROF_LOADERS_ATTRIBUTES_H_
#define TFPROF_LOADERS_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tfprof {

// Decodes a serialized TensorShapeProto into the convention of ShapeTable: []
// for an unknown rank, [1] for a scalar. False: damaged.
bool ReadShape(std::string_view bytes, std::vector<int64_t>& dims);

// The content of the oneof field `number` of a serialized AttrValue, if that
// is the one that is set.
std::optional<std::string_view> AttrMember(std::string_view attr_value,
                                           uint32_t number);

// The entries of the map field `number` of a node's record, last one of a key
// only, in order of the keys' first sight.
std::vector<std::pair<std::string_view, std::string_view>> ReadAttributes(
    std::string_view node_record, uint32_t number);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_ATTRIBUTES_H_
