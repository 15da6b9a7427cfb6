// Field numbers of XSpace (TensorFlow's xplane.proto), and of the parts of
// XLA's HloProto that are read.

#ifndef TFPROF_LOADERS_XPLANE_PLANES_FIELDS_H_
#define TFPROF_LOADERS_XPLANE_PLANES_FIELDS_H_

#include <cstdint>

#include "util/files/wire.h"

namespace tfprof {

constexpr uint32_t Fixed64Tag(uint32_t field) { return field << 3 | 1; }

namespace xspace_field {
inline constexpr uint32_t kPlane = LengthTag(1);
inline constexpr uint32_t kError = LengthTag(2);
inline constexpr uint32_t kWarning = LengthTag(3);
inline constexpr uint32_t kHostname = LengthTag(4);
}  // namespace xspace_field

namespace xplane_field {
inline constexpr uint32_t kId = VarintTag(1);
inline constexpr uint32_t kName = LengthTag(2);
inline constexpr uint32_t kLine = LengthTag(3);
inline constexpr uint32_t kEventMetadata = LengthTag(4);  // map
inline constexpr uint32_t kStatMetadata = LengthTag(5);   // map
inline constexpr uint32_t kStat = LengthTag(6);
}  // namespace xplane_field

namespace xline_field {
inline constexpr uint32_t kId = VarintTag(1);
inline constexpr uint32_t kName = LengthTag(2);
inline constexpr uint32_t kTimestampNs = VarintTag(3);
inline constexpr uint32_t kEvent = LengthTag(4);
inline constexpr uint32_t kDisplayName = LengthTag(11);
}  // namespace xline_field

namespace xevent_field {
inline constexpr uint32_t kMetadataId = VarintTag(1);
inline constexpr uint32_t kOffsetPs = VarintTag(2);
inline constexpr uint32_t kDurationPs = VarintTag(3);
inline constexpr uint32_t kStat = LengthTag(4);
inline constexpr uint32_t kNumOccurrences = VarintTag(5);
}  // namespace xevent_field

namespace xstat_field {
inline constexpr uint32_t kMetadataId = VarintTag(1);
inline constexpr uint32_t kDouble = Fixed64Tag(2);
inline constexpr uint32_t kUint64 = VarintTag(3);
inline constexpr uint32_t kInt64 = VarintTag(4);
inline constexpr uint32_t kString = LengthTag(5);
inline constexpr uint32_t kBytes = LengthTag(6);
inline constexpr uint32_t kRef = VarintTag(7);
inline constexpr uint32_t kCompressedString = LengthTag(8);
}  // namespace xstat_field

// Fields of XEventMetadata and XStatMetadata, if they have them.
namespace xmetadata_field {
inline constexpr uint32_t kName = LengthTag(2);
inline constexpr uint32_t kDisplayName = LengthTag(4);
inline constexpr uint32_t kStat = LengthTag(5);
}  // namespace xmetadata_field

namespace map_field {
inline constexpr uint32_t kKey = VarintTag(1);
inline constexpr uint32_t kValue = LengthTag(2);
}  // namespace map_field

namespace hlo_field {
inline constexpr uint32_t kModule = LengthTag(1);
inline constexpr uint32_t kBufferAssignment = LengthTag(3);
}  // namespace hlo_field

namespace hlo_module_field {
inline constexpr uint32_t kName = LengthTag(1);
inline constexpr uint32_t kComputation = LengthTag(3);
inline constexpr uint32_t kId = VarintTag(5);
inline constexpr uint32_t kEntryComputationId = VarintTag(6);
inline constexpr uint32_t kStackFrameIndex = LengthTag(17);
}  // namespace hlo_module_field

namespace hlo_computation_field {
inline constexpr uint32_t kName = LengthTag(1);
inline constexpr uint32_t kInstruction = LengthTag(2);
inline constexpr uint32_t kId = VarintTag(5);
inline constexpr uint32_t kRootId = VarintTag(6);
}  // namespace hlo_computation_field

namespace hlo_instruction_field {
inline constexpr uint32_t kName = LengthTag(1);
inline constexpr uint32_t kOpcode = LengthTag(2);
inline constexpr uint32_t kShape = LengthTag(3);
inline constexpr uint32_t kMetadata = LengthTag(7);
inline constexpr uint32_t kFusionKind = LengthTag(11);
inline constexpr uint32_t kCustomCallTarget = LengthTag(28);
inline constexpr uint32_t kId = VarintTag(35);
// Repeated numbers, packed or not.
inline constexpr uint32_t kOperandIds = 36;
inline constexpr uint32_t kControlPredecessorIds = 37;
inline constexpr uint32_t kCalledComputationIds = 38;
}  // namespace hlo_instruction_field

namespace op_metadata_field {
inline constexpr uint32_t kOpType = LengthTag(1);
inline constexpr uint32_t kOpName = LengthTag(2);
inline constexpr uint32_t kSourceFile = LengthTag(3);
inline constexpr uint32_t kSourceLine = VarintTag(4);
inline constexpr uint32_t kStackFrameId = VarintTag(15);
}  // namespace op_metadata_field

namespace hlo_shape_field {
inline constexpr uint32_t kElementType = VarintTag(2);
inline constexpr uint32_t kDimensions = 3;  // repeated
inline constexpr uint32_t kTupleShapes = LengthTag(4);
inline constexpr uint32_t kIsDynamic = 6;  // repeated
}  // namespace hlo_shape_field

namespace stack_frame_index_field {
inline constexpr uint32_t kFileName = LengthTag(1);
inline constexpr uint32_t kFunctionName = LengthTag(2);
inline constexpr uint32_t kLocation = LengthTag(3);
inline constexpr uint32_t kFrame = LengthTag(4);
// A location: the numbers of a file and a function, and a line.
inline constexpr uint32_t kLocationFile = VarintTag(1);
inline constexpr uint32_t kLocationFunction = VarintTag(2);
inline constexpr uint32_t kLocationLine = VarintTag(3);
// A frame: the numbers of its location and of its caller.
inline constexpr uint32_t kFrameLocation = VarintTag(1);
inline constexpr uint32_t kFrameParent = VarintTag(2);
}  // namespace stack_frame_index_field

namespace buffer_assignment_field {
inline constexpr uint32_t kLogicalBuffer = LengthTag(1);
// A logical buffer.
inline constexpr uint32_t kSize = VarintTag(2);
inline constexpr uint32_t kDefinedAt = LengthTag(3);
// The place where a buffer is defined.
inline constexpr uint32_t kInstructionName = LengthTag(2);
inline constexpr uint32_t kInstructionId = VarintTag(4);
}  // namespace buffer_assignment_field

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_PLANES_FIELDS_H_
