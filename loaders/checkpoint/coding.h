// Fixed-width and variable-width integers in bytes, as sorted tables and tensor
// bundles store them. Bytes are read one by one, so that neither the alignment
// nor the byte order of this machine matters (compilers turn it into one load).

#ifndef TFPROF_LOADERS_CHECKPOINT_CODING_H_
#define TFPROF_LOADERS_CHECKPOINT_CODING_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tfprof {

// `p` has sizeof(T) bytes.
template <typename T>
inline T LoadLittle(const char* p) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<uint8_t>(p[i])) << (8 * i);
  }
  return value;
}

template <typename T>
inline T LoadBig(const char* p) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<uint8_t>(p[i]))
             << (8 * (sizeof(T) - 1 - i));
  }
  return value;
}

// Takes a base-128 number of at most 64 bits off the front of `in`. False, with
// `in` unchanged, when the bytes end inside the number or it has more bits.
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

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHECKPOINT_CODING_H_
