#include "loaders/xplane/hlo/hlo_proto.h"

#include <algorithm>

#include "fmt/format.h"
#include "loaders/xplane/messages.h"
#include "loaders/xplane/planes/fields.h"
#include "util/files/wire.h"

namespace tfprof::xplane {
namespace {

// Deeper nested tuples are shown as "…"; no compiler makes them.
constexpr int kMaxShapeDepth = 16;

// Reads the fields of an instruction except its ids. Returns false if damaged.
template <typename OnIds>
bool ReadInstruction(std::string_view bytes, HloInstruction& i, OnIds on_ids) {
  namespace field = hlo_instruction_field;
  namespace metadata = op_metadata_field;
  bool good = true;
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case field::kName:
        i.name = r.view();
        continue;
      case field::kOpcode:
        i.opcode = r.view();
        continue;
      case field::kShape:
        i.shape = r.view();
        continue;
      case field::kFusionKind:
        i.fusion_kind = r.view();
        continue;
      case field::kCustomCallTarget:
        i.custom_call_target = r.view();
        continue;
      case field::kId:
        i.id = r.int64();
        continue;
      case field::kMetadata: {
        util::WireReader m(r.view());
        while (m.Next()) {
          switch (m.tag()) {
            case metadata::kOpType:
              i.op_type = m.view();
              break;
            case metadata::kOpName:
              i.op_name = m.view();
              break;
            case metadata::kSourceFile:
              i.source_file = m.view();
              break;
            case metadata::kSourceLine:
              i.source_line = m.int64();
              break;
            case metadata::kStackFrameId:
              i.stack_frame = m.int64();
              break;
          }
        }
        good &= !m.damaged();
        continue;
      }
    }
    good &= on_ids(r);
  }
  return good && !r.damaged();
}

class HloProtoReader {
 public:
  explicit HloProtoReader(std::string_view bytes) : bytes_(bytes) {}

  HloModule Read() {
    util::WireReader r(bytes_);
    while (r.Next()) {
      if (r.tag() == hlo_field::kModule) {
        ReadModule(r.view());
      } else if (r.tag() == hlo_field::kBufferAssignment) {
        ReadBuffers(r.view());
      }
    }
    Count(r);
    // The fields that are not read may be damaged, too.
    if (module_.damaged == 0) {
      module_.damaged = HloMessages().FirstDamage(bytes_) != nullptr ? 1 : 0;
    }
    return std::move(module_);
  }

 private:
  void Count(const util::WireReader& r) { module_.damaged += r.damaged(); }

  void ReadModule(std::string_view bytes) {
    util::WireReader r(bytes);
    while (r.Next()) {
      switch (r.tag()) {
        case hlo_module_field::kName:
          module_.name = r.view();
          break;
        case hlo_module_field::kId:
          module_.id = r.int64();
          break;
        case hlo_module_field::kEntryComputationId:
          module_.entry = r.int64();
          break;
        case hlo_module_field::kComputation:
          ReadComputation(r.view());
          break;
        case hlo_module_field::kStackFrameIndex:
          ReadStackFrames(r.view());
          break;
      }
    }
    Count(r);
  }

  void ReadComputation(std::string_view bytes) {
    const auto number = static_cast<uint32_t>(module_.computations.size());
    HloComputation computation;
    util::WireReader r(bytes);
    size_t begin = 0;  // where the field begins
    while (r.Next()) {
      switch (r.tag()) {
        case hlo_computation_field::kName:
          computation.name = r.view();
          break;
        case hlo_computation_field::kId:
          computation.id = r.int64();
          break;
        case hlo_computation_field::kRootId:
          computation.root = r.int64();
          break;
        case hlo_computation_field::kInstruction:
          AddInstruction(
              r.view(), number,
              static_cast<size_t>(bytes.data() - bytes_.data()) + begin);
          break;
      }
      begin = r.good_bytes();
    }
    Count(r);
    module_.computations.push_back(computation);
  }

  void AddInstruction(std::string_view bytes, uint32_t computation,
                      uint64_t offset) {
    namespace field = hlo_instruction_field;
    HloInstruction i;
    operands_.clear();
    controls_.clear();
    calls_.clear();
    const bool good = ReadInstruction(bytes, i, [&](const util::WireReader& r) {
      switch (r.number()) {
        case field::kOperandIds:
          return util::AppendInts(r, operands_);
        case field::kControlPredecessorIds:
          return util::AppendInts(r, controls_);
        case field::kCalledComputationIds:
          return util::AppendInts(r, calls_);
      }
      return true;
    });
    module_.damaged += !good;
    i.computation = computation;
    i.offset = offset;
    i.operands = Append(operands_);
    i.controls = Append(controls_);
    i.calls = Append(calls_);
    i.end = static_cast<uint32_t>(module_.ids.size());
    module_.instructions.push_back(i);
  }

  // Returns where the ids begin.
  uint32_t Append(const std::vector<int64_t>& ids) {
    const auto begin = static_cast<uint32_t>(module_.ids.size());
    module_.ids.insert(module_.ids.end(), ids.begin(), ids.end());
    return begin;
  }

  void ReadStackFrames(std::string_view bytes) {
    namespace field = stack_frame_index_field;
    util::WireReader r(bytes);
    while (r.Next()) {
      switch (r.tag()) {
        case field::kFileName:
          module_.files.push_back(r.view());
          break;
        case field::kFunctionName:
          module_.functions.push_back(r.view());
          break;
        case field::kLocation: {
          HloModule::Location location;
          util::WireReader l(r.view());
          while (l.Next()) {
            if (l.tag() == field::kLocationFile) location.file = l.int64();
            if (l.tag() == field::kLocationFunction) {
              location.function = l.int64();
            }
            if (l.tag() == field::kLocationLine) location.line = l.int64();
          }
          Count(l);
          module_.locations.push_back(location);
          break;
        }
        case field::kFrame: {
          HloModule::Frame frame;
          util::WireReader f(r.view());
          while (f.Next()) {
            if (f.tag() == field::kFrameLocation) frame.location = f.int64();
            if (f.tag() == field::kFrameParent) frame.parent = f.int64();
          }
          Count(f);
          module_.frames.push_back(frame);
          break;
        }
      }
    }
    Count(r);
  }

  void ReadBuffers(std::string_view bytes) {
    namespace field = buffer_assignment_field;
    util::WireReader r(bytes);
    while (r.Next()) {
      if (r.tag() != field::kLogicalBuffer) continue;
      HloModule::Buffer buffer;
      util::WireReader b(r.view());
      while (b.Next()) {
        if (b.tag() == field::kSize) buffer.size = b.int64();
        if (b.tag() != field::kDefinedAt) continue;
        util::WireReader at(b.view());
        while (at.Next()) {
          if (at.tag() == field::kInstructionId) {
            buffer.instruction = at.int64();
          } else if (at.tag() == field::kInstructionName) {
            buffer.instruction_name = at.view();
          }
        }
        Count(at);
      }
      Count(b);
      module_.buffers.push_back(buffer);
    }
    Count(r);
  }

  const std::string_view bytes_;
  HloModule module_;
  std::vector<int64_t> operands_, controls_, calls_;
};

struct ShapeFields {
  uint64_t element_type = 0;
  std::vector<int64_t> dims;
  std::vector<int64_t> dynamic;
  std::vector<std::string_view> elements;
};

constexpr uint64_t kTuple = 13;

ShapeFields ReadShapeFields(std::string_view shape) {
  ShapeFields fields;
  util::WireReader r(shape);
  while (r.Next()) {
    if (r.tag() == hlo_shape_field::kElementType) {
      fields.element_type = r.value();
    } else if (r.number() == hlo_shape_field::kDimensions) {
      util::AppendInts(r, fields.dims);
    } else if (r.number() == hlo_shape_field::kIsDynamic) {
      util::AppendInts(r, fields.dynamic);
    } else if (r.tag() == hlo_shape_field::kTupleShapes) {
      fields.elements.push_back(r.view());
    }
  }
  return fields;
}

std::vector<int64_t> Dims(const ShapeFields& fields) {
  if (fields.element_type == kTuple) return {};
  std::vector<int64_t> dims = fields.dims;
  for (size_t i = 0; i < dims.size() && i < fields.dynamic.size(); ++i) {
    if (fields.dynamic[i] != 0) dims[i] = -1;
  }
  if (dims.empty()) dims = {1};  // a scalar
  return dims;
}

std::string_view ElementTypeName(uint64_t type) {
  static constexpr std::string_view kNames[] = {
      "invalid",    "pred",      "s8",       "s16", "s32",  "s64",
      "u8",         "u16",       "u32",      "u64", "f16",  "f32",
      "f64",        "tuple",     "opaque",   "c64", "bf16", "token",
      "c128",       "f8e5m2",    "f8e4m3fn", "s4",  "u4",   "f8e4m3b11fnuz",
      "f8e4m3fnuz", "f8e5m2fnuz"};
  return type < std::size(kNames) ? kNames[type] : "type";
}

void AppendShape(std::string_view shape, int depth, std::string& text) {
  const ShapeFields fields = ReadShapeFields(shape);
  if (fields.element_type != kTuple) {
    text += ElementTypeName(fields.element_type);
    text += '[';
    for (size_t i = 0; i < fields.dims.size(); ++i) {
      if (i > 0) text += ',';
      if (i < fields.dynamic.size() && fields.dynamic[i] != 0) text += "<=";
      text += fmt::format("{}", fields.dims[i]);
    }
    text += ']';
    return;
  }
  text += '(';
  if (depth == kMaxShapeDepth) {
    text += "…";
  } else {
    for (size_t i = 0; i < fields.elements.size(); ++i) {
      if (i > 0) text += ", ";
      AppendShape(fields.elements[i], depth + 1, text);
    }
  }
  text += ')';
}

}  // namespace

HloModule ReadHloProto(std::string_view bytes) {
  return HloProtoReader(bytes).Read();
}

bool ReadHloInstruction(std::string_view bytes, HloInstruction& instruction) {
  return ReadInstruction(bytes, instruction,
                         [](const util::WireReader&) { return true; });
}

std::vector<std::vector<int64_t>> ReadHloShapes(std::string_view shape) {
  if (shape.empty()) return {};
  const ShapeFields fields = ReadShapeFields(shape);
  if (fields.element_type != kTuple) return {Dims(fields)};
  std::vector<std::vector<int64_t>> shapes;
  for (const std::string_view element : fields.elements) {
    shapes.push_back(Dims(ReadShapeFields(element)));
  }
  return shapes;
}

std::string HloShapeText(std::string_view shape) {
  std::string text;
  if (!shape.empty()) AppendShape(shape, 0, text);
  return text;
}

}  // namespace tfprof::xplane
