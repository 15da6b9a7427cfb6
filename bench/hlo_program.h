// The HLO program that the traces of xplane_trace.h run: a sequence of layers
// with the same instructions. Durations are picoseconds.

#ifndef TFPROF_BENCH_HLO_PROGRAM_H_
#define TFPROF_BENCH_HLO_PROGRAM_H_

#include <cstdint>
#include <iterator>
#include <string>

namespace tfprof {

// The instructions of a layer. The first one is a loop that contains the others
// and needs no kernel on a GPU.
struct MadeInstruction {
  const char* name;
  const char* opcode;
  const char* primitive;
  int64_t duration;  // minimum, in picoseconds
};
inline constexpr MadeInstruction kHloLayer[] = {
    {"while", "while", "while", 0},
    {"fusion", "fusion", "add", 8000000},
    {"dot", "dot", "dot_general", 41000000},
    {"fusion", "fusion", "mul", 7500000},
    {"convert", "convert", "convert_element_type", 2250000},
    {"dot", "dot", "dot_general", 39000000},
    {"fusion", "fusion", "tanh", 9125000},
    {"custom-call", "custom-call", "custom_call", 17000000},
    {"copy", "copy", "copy", 3500000},
    {"all-reduce", "all-reduce", "psum", 22000000},
};
inline constexpr int64_t kHloPerLayer = std::ssize(kHloLayer);

inline constexpr int64_t kHloProgram = 77;  // its id
inline constexpr char kHloModule[] = "jit_train_step";

// The name of the instruction with this index, such as "dot.12", and the path
// in its op_name.
std::string HloName(int64_t index);
std::string HloScope(int64_t index);

// The HloProto with one computation. Each instruction uses the previous one,
// and has a shape, a path and stack frames.
std::string HloProto(int64_t instructions);

}  // namespace tfprof

#endif  // TFPROF_BENCH_HLO_PROGRAM_H_
