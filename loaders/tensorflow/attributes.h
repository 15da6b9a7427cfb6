// Reads the attributes of a node from its record, where they are map entries,
// in GraphDef and in ProfileProto. profile/attr_value.h reads their values,
// which are views into the record.

#ifndef TFPROF_LOADERS_TENSORFLOW_ATTRIBUTES_H_
#define TFPROF_LOADERS_TENSORFLOW_ATTRIBUTES_H_

#include <cstdint>
#include <string_view>

#include "profile/attr_value.h"

namespace tfprof::tensorflow {

// Returns the entries of the map field `number` of a node's record, in the
// order in which their keys first occur. The last value of a key wins.
profile::AttributeList ReadAttributes(std::string_view node_record,
                                      uint32_t number);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_ATTRIBUTES_H_
