// Interprets the names of events on host threads.
//
// TensorFlow names an op "scope/op:Type" and repeats the type as display name.
// A Python frame is "$file.py:LINE function", with only the name of the file,
// or "$module function" for a function in C. Any other name is a range that
// some code named; old files have arguments as "name#key=value#". Results are
// views into the names.

#ifndef TFPROF_LOADERS_XPLANE_PLANES_EVENT_NAMES_H_
#define TFPROF_LOADERS_XPLANE_PLANES_EVENT_NAMES_H_

#include <cstdint>
#include <string_view>

namespace tfprof::xplane {

enum class EventKind : uint8_t {
  kRange,  // any other name
  kTfOp,
  kPython,
  kMemory,  // an allocation or its release
  // The tracer's own marks: the ends of ops, which would double the number of
  // events, and marks of thread pools. They take no time.
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

// Returns the innermost op in the annotation of a kernel,
// "scope/op:Type#shape=…#::other". Both members are "" if the annotation has no
// op.
TfOpName TfOpOfAnnotation(std::string_view annotation);

// Removes the arguments of "name#key=value#".
std::string_view WithoutArguments(std::string_view event_name);

struct PythonFrame {
  std::string_view file;  // "train.py"; the module of a C function
  std::string_view function;
  int32_t line = -1;  // the function's first line; -1: unknown
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

// Removes the number of "fusion.12" and "fusion_12". Instructions are often
// named after their opcode, or after the kind of their fusion.
std::string_view WithoutNumber(std::string_view instruction);

// Parses the number in the last brackets of "jit_step(30)"; returns false if
// there is none.
bool ProgramIdOf(std::string_view label, int64_t& id);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_PLANES_EVENT_NAMES_H_
