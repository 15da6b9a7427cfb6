// Field numbers of ProfileProto and ProfileNode (proto/tfprof_log.proto), as
// tags for a WireReader; plain numbers if both encodings of a list occur.

#ifndef TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FIELDS_H_
#define TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FIELDS_H_

#include <cstdint>

#include "util/files/wire.h"

namespace tfprof {

namespace profile_field {
inline constexpr uint32_t kNodes = LengthTag(1);
inline constexpr uint32_t kHasTrace = VarintTag(2);
inline constexpr uint32_t kSteps = 3;
inline constexpr uint32_t kIdToString = LengthTag(4);
inline constexpr uint32_t kKernelCounters = LengthTag(1000);
}  // namespace profile_field

namespace profile_node {
inline constexpr uint32_t kName = LengthTag(1);
inline constexpr uint32_t kInputs = LengthTag(2);
inline constexpr uint32_t kShape = 4;
inline constexpr uint32_t kOpTypes = LengthTag(5);
inline constexpr uint32_t kCanonicalDevice = LengthTag(6);
inline constexpr uint32_t kFloatOps = VarintTag(8);
inline constexpr uint32_t kOp = LengthTag(9);
inline constexpr uint32_t kTrace = LengthTag(10);
inline constexpr uint32_t kAttrs = 11;
inline constexpr uint32_t kExecs = LengthTag(12);
inline constexpr uint32_t kSrcOutputIndex = LengthTag(14);
inline constexpr uint32_t kOutputShapes = LengthTag(15);
inline constexpr uint32_t kDanglingInputs = LengthTag(1000);
inline constexpr uint32_t kInputOutputIndex = LengthTag(1001);
inline constexpr uint32_t kRanElsewhere = VarintTag(1002);
}  // namespace profile_node

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FIELDS_H_
