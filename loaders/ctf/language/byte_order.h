// Loads integers of either byte order from any address.

#ifndef TFPROF_LOADERS_CTF_LANGUAGE_BYTE_ORDER_H_
#define TFPROF_LOADERS_CTF_LANGUAGE_BYTE_ORDER_H_

#include <bit>
#include <cstdint>
#include <cstring>

namespace tfprof::ctf {

static_assert(std::endian::native == std::endian::little);

inline uint8_t Swapped(uint8_t v) { return v; }
inline uint16_t Swapped(uint16_t v) { return __builtin_bswap16(v); }
inline uint32_t Swapped(uint32_t v) { return __builtin_bswap32(v); }
inline uint64_t Swapped(uint64_t v) { return __builtin_bswap64(v); }

template <typename T>
T LoadInteger(const char* at, bool big_endian) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return big_endian ? Swapped(value) : value;
}

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_BYTE_ORDER_H_
