#include "bench/hlo_program.h"

#include <array>

#include "fmt/format.h"
#include "util/files/wire_writer.h"

namespace tfprof {

std::string HloName(int64_t index) {
  return fmt::format("{}.{}", kHloLayer[index % kHloPerLayer].name, index);
}

std::string HloScope(int64_t index) {
  return fmt::format("jit(train_step)/jvp(layer{})/{}", index / kHloPerLayer,
                     kHloLayer[index % kHloPerLayer].primitive);
}

std::string HloProto(int64_t instructions) {
  util::WireWriter w;
  {
    const util::WireMessage module(w, 1);
    w.Bytes(1, kHloModule);
    w.Bytes(2, "main");
    {
      const util::WireMessage computation(w, 3);
      w.Bytes(1, "main");
      for (int64_t i = 0; i < instructions; ++i) {
        const MadeInstruction& made = kHloLayer[i % kHloPerLayer];
        const util::WireMessage instruction(w, 2);
        w.Bytes(1, HloName(i));
        w.Bytes(2, made.opcode);
        {
          const util::WireMessage shape(w, 3);
          w.Int64(2, 11);  // F32
          w.PackedInt64(3, std::array<int64_t, 2>{512, 512});
        }
        {
          const util::WireMessage metadata(w, 7);
          w.Bytes(1, made.primitive);
          w.Bytes(2, HloScope(i));
          w.Int64(15, 2);
        }
        w.Int64(35, kHloProgram << 32 | (i + 1));
        if (i > 0) {
          w.PackedInt64(36, std::array<int64_t, 1>{kHloProgram << 32 | i});
        }
      }
      w.Int64(5, kHloProgram);
      w.Int64(6, kHloProgram << 32 | instructions);
    }
    w.Int64(5, kHloProgram);
    w.Int64(6, kHloProgram);
    {
      const util::WireMessage index(w, 17);
      w.Bytes(1, "train.py");
      w.Bytes(2, "<module>");
      w.Bytes(2, "train_step");
      for (const int64_t function : {1, 2}) {
        const util::WireMessage location(w, 3);
        w.Int64(1, 1);
        w.Int64(2, function);
        w.Int64(3, 10 * function);
      }
      for (const int64_t frame : {1, 2}) {
        const util::WireMessage message(w, 4);
        w.Int64(1, frame);
        w.Int64IfSet(2, frame - 1);
      }
    }
  }
  return std::string(w.bytes());
}

}  // namespace tfprof
