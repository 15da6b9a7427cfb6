// Field numbers of XSpace (TensorFlow's xplane.proto), and of the parts of
// XLA's HloProto that are read.

#ifndef TFPROF_LOADERS_XPLANE_PLANES_FIELDS_H_
#define TFPROF_LOADERS_XPLANE_PLANES_FIELDS_H_

#include <cstdint>

#include "util/files/wire.h"

namespace tfprof::xplane {

constexpr uint32_t Fixed64Tag(uint32_t field) { return field << 3 | 1; }

namespace xspace_field {
inline constexpr uint32_t kPlane = util::LengthTag(1);
inline constexpr uint32_t kError = util::LengthTag(2);
inline constexpr uint32_t kWarning = util::LengthTag(3);
inline constexpr uint32_t kHostname = util::LengthTag(4);
}  // namespace xspace_field

namespace xplane_field {
inline constexpr uint32_t kId = util::VarintTag(1);
inline constexpr uint32_t kName = util::LengthTag(2);
inline constexpr uint32_t kLine = util::LengthTag(3);
inline constexpr uint32_t kEventMetadata = util::LengthTag(4);  // map
inline constexpr uint32_t kStatMetadata = util::LengthTag(5);   // map
inline constexpr uint32_t kStat = util::LengthTag(6);
}  // namespace xplane_field

namespace xline_field {
inline constexpr uint32_t kId = util::VarintTag(1);
inline constexpr uint32_t kName = util::LengthTag(2);
inline constexpr uint32_t kTimestampNs = util::VarintTag(3);
inline constexpr uint32_t kEvent = util::LengthTag(4);
inline constexpr uint32_t kDisplayName = util::LengthTag(11);
}  // namespace xline_field

namespace xevent_field {
inline constexpr uint32_t kMetadataId = util::VarintTag(1);
inline constexpr uint32_t kOffsetPs = util::VarintTag(2);
inline constexpr uint32_t kDurationPs = util::VarintTag(3);
inline constexpr uint32_t kStat = util::LengthTag(4);
inline constexpr uint32_t kNumOccurrences = util::VarintTag(5);
}  // namespace xevent_field

namespace xstat_field {
inline constexpr uint32_t kMetadataId = util::VarintTag(1);
inline constexpr uint32_t kDouble = Fixed64Tag(2);
inline constexpr uint32_t kUint64 = util::VarintTag(3);
inline constexpr uint32_t kInt64 = util::VarintTag(4);
inline constexpr uint32_t kString = util::LengthTag(5);
inline constexpr uint32_t kBytes = util::LengthTag(6);
inline constexpr uint32_t kRef = util::VarintTag(7);
inline constexpr uint32_t kCompressedString = util::LengthTag(8);
}  // namespace xstat_field

// Fields of XEventMetadata and XStatMetadata, if they have them.
namespace xmetadata_field {
inline constexpr uint32_t kName = util::LengthTag(2);
inline constexpr uint32_t kDisplayName = util::LengthTag(4);
inline constexpr uint32_t kStat = util::LengthTag(5);
}  // namespace xmetadata_field

namespace map_field {
inline constexpr uint32_t kKey = util::VarintTag(1);
inline constexpr uint32_t kValue = util::LengthTag(2);
}  // namespace map_field

namespace hlo_field {
inline constexpr uint32_t kModule = util::LengthTag(1);
inline constexpr uint32_t kBufferAssignment = util::LengthTag(3);
}  // namespace hlo_field

namespace hlo_module_field {
inline constexpr uint32_t kName = util::LengthTag(1);
inline constexpr uint32_t kComputation = util::LengthTag(3);
inline constexpr uint32_t kId = util::VarintTag(5);
inline constexpr uint32_t kEntryComputationId = util::VarintTag(6);
inline constexpr uint32_t kStackFrameIndex = util::LengthTag(17);
}  // namespace hlo_module_field

namespace hlo_computation_field {
inline constexpr uint32_t kName = util::LengthTag(1);
inline constexpr uint32_t kInstruction = util::LengthTag(2);
inline constexpr uint32_t kId = util::VarintTag(5);
inline constexpr uint32_t kRootId = util::VarintTag(6);
}  // namespace hlo_computation_field

namespace hlo_instruction_field {
inline constexpr uint32_t kName = util::LengthTag(1);
inline constexpr uint32_t kOpcode = util::LengthTag(2);
inline constexpr uint32_t kShape = util::LengthTag(3);
inline constexpr uint32_t kMetadata = util::LengthTag(7);
inline constexpr uint32_t kFusionKind = util::LengthTag(11);
inline constexpr uint32_t kCustomCallTarget = util::LengthTag(28);
inline constexpr uint32_t kId = util::VarintTag(35);
// Repeated numbers, packed or not.
inline constexpr uint32_t kOperandIds = 36;
inline constexpr uint32_t kControlPredecessorIds = 37;
inline constexpr uint32_t kCalledComputationIds = 38;
}  // namespace hlo_instruction_field

namespace op_metadata_field {
inline constexpr uint32_t kOpType = util::LengthTag(1);
inline constexpr uint32_t kOpName = util::LengthTag(2);
inline constexpr uint32_t kSourceFile = util::LengthTag(3);
inline constexpr uint32_t kSourceLine = util::VarintTag(4);
inline constexpr uint32_t kStackFrameId = util::VarintTag(15);
}  // namespace op_metadata_field

namespace hlo_shape_field {
inline constexpr uint32_t kElementType = util::VarintTag(2);
inline constexpr uint32_t kDimensions = 3;  // repeated
inline constexpr uint32_t kTupleShapes = util::LengthTag(4);
inline constexpr uint32_t kIsDynamic = 6;  // repeated
}  // namespace hlo_shape_field

namespace stack_frame_index_field {
inline constexpr uint32_t kFileName = util::LengthTag(1);
inline constexpr uint32_t kFunctionName = util::LengthTag(2);
inline constexpr uint32_t kLocation = util::LengthTag(3);
inline constexpr uint32_t kFrame = util::LengthTag(4);
// A location: the numbers of a file and a function, and a line.
inline constexpr uint32_t kLocationFile = util::VarintTag(1);
inline constexpr uint32_t kLocationFunction = util::VarintTag(2);
inline constexpr uint32_t kLocationLine = util::VarintTag(3);
// A frame: the numbers of its location and of its caller.
inline constexpr uint32_t kFrameLocation = util::VarintTag(1);
inline constexpr uint32_t kFrameParent = util::VarintTag(2);
}  // namespace stack_frame_index_field

namespace buffer_assignment_field {
inline constexpr uint32_t kLogicalBuffer = util::LengthTag(1);
// A logical buffer.
inline constexpr uint32_t kSize = util::VarintTag(2);
inline constexpr uint32_t kDefinedAt = util::LengthTag(3);
// The place where a buffer is defined.
inline constexpr uint32_t kInstructionName = util::LengthTag(2);
inline constexpr uint32_t kInstructionId = util::VarintTag(4);
}  // namespace buffer_assignment_field

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_PLANES_FIELDS_H_
