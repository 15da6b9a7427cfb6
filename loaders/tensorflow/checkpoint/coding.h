// Reads fixed-width and variable-width integers from bytes, as sorted tables
// and tensor bundles store them. Works at any alignment and on any machine.
// There are no errors except ConsumeVarint()'s result.

#ifndef TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CODING_H_
#define TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CODING_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tfprof::tensorflow {

// Reads the unsigned number of 4 or 8 bytes at `p`.
template <typename T, std::endian order>
inline T LoadFixed(const char* p) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  T value;
  std::memcpy(&value, p, sizeof(T));
  if constexpr (order == std::endian::native) {
    return value;
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else {
    return __builtin_bswap64(value);
  }
}

template <typename T>
inline T LoadLittle(const char* p) {
  return LoadFixed<T, std::endian::little>(p);
}

template <typename T>
inline T LoadBig(const char* p) {
  return LoadFixed<T, std::endian::big>(p);
}

// Reads a base-128 number of at most 64 bits from the front of `in`. Returns
// false, with `in` unchanged, if the bytes end inside the number or it has more
// bits.
inline bool ConsumeVarint(std::string_view* in, uint64_t* value) {
  uint64_t result = 0;
  for (size_t i = 0; i < in->size() && i < 10; ++i) {
    const uint8_t byte = static_cast<uint8_t>((*in)[i]);
    if (i == 9 && byte > 1) return false;
    result |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      *value = result;
      in->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CODING_H_
