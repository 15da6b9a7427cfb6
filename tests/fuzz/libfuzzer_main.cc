// The entry point for libFuzzer, which runs the fuzz entry FUZZ_ENTRY.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/entries.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tfprof::FUZZ_ENTRY({reinterpret_cast<const char*>(data), size});
  return 0;
}
