// CopyText: copies a short text and detects a 0 in it, in one pass and without
// a call. Names of ops have 10 to 80 bytes: calling memcpy and memchr for each
// took a third of the time of an event.

#ifndef TFPROF_RECORD_COPY_TEXT_H_
#define TFPROF_RECORD_COPY_TEXT_H_

#include <cstdint>
#include <cstring>

namespace tfprof::record {

namespace internal {

// True if a byte of the 8 is 0.
constexpr bool HasZero(uint64_t bytes) {
  return ((bytes - 0x0101010101010101) & ~bytes & 0x8080808080808080) != 0;
}

template <typename T>
T CopyPart(char* to, const char* from) {
  T part;
  memcpy(&part, from, sizeof(part));
  memcpy(to, &part, sizeof(part));
  return part;
}

}  // namespace internal

// A 0 within the text becomes a space, because readers would take it for the
// end.
inline void CopyText(char* to, const char* from, uint32_t size) {
  using internal::CopyPart;
  using internal::HasZero;
  bool has_zero = false;
  if (size >= 8) {
    uint32_t i = 0;
    for (; i + 16 <= size; i += 16) {
      const auto a = CopyPart<uint64_t>(to + i, from + i);
      const auto b = CopyPart<uint64_t>(to + i + 8, from + i + 8);
      has_zero |= HasZero(a) || HasZero(b);
    }
    if (i + 8 <= size)
      has_zero |= HasZero(CopyPart<uint64_t>(to + i, from + i));
    // The last 8 bytes; some of them are copied twice.
    has_zero |= HasZero(CopyPart<uint64_t>(to + size - 8, from + size - 8));
  } else {
    for (uint32_t i = 0; i < size; ++i) {
      has_zero |= from[i] == 0;
      to[i] = from[i];
    }
  }
  if (!has_zero) [[likely]]
    return;
  for (uint32_t i = 0; i < size; ++i) {
    if (to[i] == 0) to[i] = ' ';
  }
}

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_COPY_TEXT_H_
