// Field numbers of ProfileProto and ProfileNode (proto/tfprof_log.proto), as
// tags for a WireReader; plain numbers if both encodings of a list occur.

#ifndef TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FIELDS_H_
#define TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FIELDS_H_

#include <cstdint>

#include "util/files/wire.h"

namespace tfprof::tensorflow {

namespace profile_field {
inline constexpr uint32_t kNodes = util::LengthTag(1);
inline constexpr uint32_t kHasTrace = util::VarintTag(2);
inline constexpr uint32_t kSteps = 3;
inline constexpr uint32_t kIdToString = util::LengthTag(4);
inline constexpr uint32_t kKernelCounters = util::LengthTag(1000);
}  // namespace profile_field

namespace profile_node {
inline constexpr uint32_t kName = util::LengthTag(1);
inline constexpr uint32_t kInputs = util::LengthTag(2);
inline constexpr uint32_t kShape = 4;
inline constexpr uint32_t kOpTypes = util::LengthTag(5);
inline constexpr uint32_t kCanonicalDevice = util::LengthTag(6);
inline constexpr uint32_t kFloatOps = util::VarintTag(8);
inline constexpr uint32_t kOp = util::LengthTag(9);
inline constexpr uint32_t kTrace = util::LengthTag(10);
inline constexpr uint32_t kAttrs = 11;
inline constexpr uint32_t kExecs = util::LengthTag(12);
inline constexpr uint32_t kSrcOutputIndex = util::LengthTag(14);
inline constexpr uint32_t kOutputShapes = util::LengthTag(15);
inline constexpr uint32_t kDanglingInputs = util::LengthTag(1000);
inline constexpr uint32_t kInputOutputIndex = util::LengthTag(1001);
inline constexpr uint32_t kRanElsewhere = util::VarintTag(1002);
}  // namespace profile_node

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_FIELDS_H_
