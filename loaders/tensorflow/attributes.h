// Attributes of nodes where they stand: map entries of a node's record, in
// GraphDef as in ProfileProto. What is in them: profile/attr_value.h.

#ifndef TFPROF_LOADERS_TENSORFLOW_ATTRIBUTES_H_
#define TFPROF_LOADERS_TENSORFLOW_ATTRIBUTES_H_

#include <cstdint>
#include <string_view>

#include "profile/attr_value.h"

namespace tfprof {

// The entries of the map field `number` of a node's record, last one of a key
// only, in order of the keys' first sight.
AttributeList ReadAttributes(std::string_view node_record, uint32_t number);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_ATTRIBUTES_H_
