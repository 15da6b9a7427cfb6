#include "loaders/tensorflow/checkpoint/crc32c.h"

#include <array>
#include <cstddef>

#include "loaders/tensorflow/checkpoint/coding.h"

namespace tfprof::tensorflow {
namespace {

// kTable[k][b]: the effect of byte b if k more bytes follow it. With eight
// tables the loop takes eight bytes at a time, which is four times as fast as
// one at a time. This matters for large tensors.
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) ? 0x82f63b78u : 0);
    }
    tables[0][b] = crc;
  }
  for (int k = 1; k < 8; ++k) {
    for (int b = 0; b < 256; ++b) {
      const uint32_t crc = tables[k - 1][b];
      tables[k][b] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTable = MakeTables();

}  // namespace

uint32_t Crc32c(std::string_view bytes, uint32_t crc) {
  crc = ~crc;
  const char* p = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, p += 8) {
    const uint64_t word = LoadLittle<uint64_t>(p) ^ crc;
    // Unrolled by hand: at -O2 compilers keep a loop, at a third of the speed.
    crc = kTable[7][word & 0xff] ^ kTable[6][(word >> 8) & 0xff] ^
          kTable[5][(word >> 16) & 0xff] ^ kTable[4][(word >> 24) & 0xff] ^
          kTable[3][(word >> 32) & 0xff] ^ kTable[2][(word >> 40) & 0xff] ^
          kTable[1][(word >> 48) & 0xff] ^ kTable[0][word >> 56];
  }
  for (; left > 0; --left, ++p) {
    crc = (crc >> 8) ^ kTable[0][(crc ^ static_cast<uint8_t>(*p)) & 0xff];
  }
  return ~crc;
}

}  // namespace tfprof::tensorflow
