// What the names of events on host threads say.
//
// TensorFlow names an op "scope/op:Type" and repeats the type as display name.
// A Python frame is "$file.py:LINE function", with the name of the file only,
// or "$module function" for a function in C. Everything else is a range that
// some code named, with arguments as "name#key=value#" in old files.

#ifndef TFPROF_LOADERS_XPLANE_EVENT_NAMES_H_
#define TFPROF_LOADERS_XPLANE_EVENT_NAMES_H_

#include <cstdint>
#include <string_view>

namespace tfprof {

enum class EventKind : uint8_t {
  kRange,  // none of the others
  kTfOp,
  kPython,
  kMemory,  // an allocation or its release
  // The tracer's own marks: the end of an op, which would double the number of
  // events, and those of thread pools. They take no time.
  kHidden,
};

EventKind KindOfEvent(std::string_view name, std::string_view display_name);

inline constexpr std::string_view kAllocationEvent = "MemoryAllocation";

// The name and the type of a kTfOp.
struct TfOpName {
  std::string_view name;
  std::string_view type;
};
TfOpName SplitTfOp(std::string_view event_name);

// The op in an annotation of a kernel, "scope/op:Type#shape=…#::other", the
// innermost that there is. Both are "" if the annotation has no op.
TfOpName TfOpOfAnnotation(std::string_view annotation);

// "name#key=value#" without its arguments.
std::string_view WithoutArguments(std::string_view event_name);

struct PythonFrame {
  std::string_view file;  // "train.py"; of a function in C its module
  std::string_view function;
  int32_t line = -1;  // the first of the function; -1: not known
};
PythonFrame ParsePythonFrame(std::string_view event_name);

// The opcode and the name in the text of an HLO instruction: "%copy.1 =
// f32[5]{0} copy(f32[5]{0} %param)" gives "copy" and "copy.1". Both are "" for
// other texts.
struct HloText {
  std::string_view opcode;
  std::string_view name;
};
HloText ParseHloText(std::string_view text);

// "fusion.12" and "fusion_12" without the number. An instruction is often named
// after its opcode, or after the kind of its fusion.
std::string_view WithoutNumber(std::string_view instruction);

// The number in the last pair of brackets of "jit_step(30)"; false: none.
bool ProgramIdOf(std::string_view label, int64_t& id);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_EVENT_NAMES_H_
