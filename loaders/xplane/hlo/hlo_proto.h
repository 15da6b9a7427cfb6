// HloModule: the parts of an HloProto that describe one compiled program, as
// plain structs. All other fields are skipped, such as literals, which are most
// of the bytes of some programs.
//
// Ids of instructions and computations have up to 64 bits (newer versions have
// the computation in the upper half), so they are not used as indexes; IdTable
// maps them. Numbers of files, functions, locations and frames count from 1; 0
// is "none". They are not checked here: the user of a number must check it.
//
// Views are into the proto, which must outlive this.

#ifndef TFPROF_LOADERS_XPLANE_HLO_HLO_PROTO_H_
#define TFPROF_LOADERS_XPLANE_HLO_HLO_PROTO_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::xplane {

struct HloInstruction {
  int64_t id = 0;
  std::string_view name;
  std::string_view opcode;
  std::string_view fusion_kind;
  std::string_view custom_call_target;
  std::string_view shape;  // a serialized ShapeProto
  // From its metadata.
  std::string_view op_type;
  std::string_view op_name;
  std::string_view source_file;
  int64_t source_line = 0;
  int64_t stack_frame = 0;
  // Its ids in HloModule::ids begin here: operands, then control predecessors,
  // then called computations.
  uint32_t operands = 0, controls = 0, calls = 0, end = 0;
  uint32_t computation = 0;  // index in HloModule::computations
  // The field of the instruction, from its tag on, in the proto.
  uint64_t offset = 0;
};

struct HloComputation {
  int64_t id = 0;
  std::string_view name;
  int64_t root = 0;  // id of an instruction
};

struct HloModule {
  struct Location {
    int64_t file = 0, function = 0, line = 0;
  };
  struct Frame {
    int64_t location = 0, parent = 0;
  };
  struct Buffer {
    int64_t size = 0;
    // The instruction that defines it; the id is 0 in older versions.
    int64_t instruction = 0;
    std::string_view instruction_name;
  };

  std::string_view name;
  int64_t id = 0;
  int64_t entry = 0;  // id of a computation
  std::vector<HloComputation> computations;
  std::vector<HloInstruction> instructions;
  std::vector<int64_t> ids;
  std::vector<std::string_view> files;
  std::vector<std::string_view> functions;
  std::vector<Location> locations;
  std::vector<Frame> frames;
  std::vector<Buffer> buffers;
  // The number of messages that could not be read to their end; 1 if only
  // fields that are not read are damaged.
  int64_t damaged = 0;

  std::span<const int64_t> Operands(const HloInstruction& i) const {
    return {ids.data() + i.operands, i.controls - i.operands};
  }
  std::span<const int64_t> ControlPredecessors(const HloInstruction& i) const {
    return {ids.data() + i.controls, i.calls - i.controls};
  }
  std::span<const int64_t> CalledComputations(const HloInstruction& i) const {
    return {ids.data() + i.calls, i.end - i.calls};
  }
};

// Decodes a serialized HloProto.
HloModule ReadHloProto(std::string_view bytes);

// Decodes one HloInstructionProto; its ids and offset stay 0. Returns false if
// damaged.
bool ReadHloInstruction(std::string_view bytes, HloInstruction& instruction);

// Returns the shapes of a serialized ShapeProto, in the form of ShapeTable: one
// shape for an array, one for each element of a tuple. Tuples inside tuples are
// unknown shapes. A dynamic dimension is -1.
std::vector<std::vector<int64_t>> ReadHloShapes(std::string_view shape);

// Returns the shape as XLA writes it: "f32[4,32]", "(f32[4], (s32[],
// pred[2]))".
std::string HloShapeText(std::string_view shape);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_HLO_HLO_PROTO_H_
