// CRC-32C (Castagnoli, reflected polynomial 0x82f63b78), the checksum of sorted
// tables and of tensor data in checkpoints.
//
// A checksum that is stored beside the bytes it covers is masked, because a
// checksum of data that contains checksums is weak. The mask and its constant
// come from the sorted table format. Pure functions; nothing can fail.

#ifndef TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CRC32C_H_
#define TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CRC32C_H_

#include <cstdint>
#include <string_view>

namespace tfprof::tensorflow {

// Returns the checksum of `bytes`, or of A followed by `bytes` if `crc` is A's.
uint32_t Crc32c(std::string_view bytes, uint32_t crc = 0);

constexpr uint32_t MaskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CRC32C_H_
