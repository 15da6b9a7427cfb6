#include "loaders/tensorflow/checkpoint/crc32c.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace tfprof::tensorflow {
namespace {

TEST(Crc32cTest, KnownValues) {
  // RFC 3720, appendix B.4.
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32cTest, Continues) {
  const std::string text = "It is the same however the bytes are cut.";
  for (size_t i = 0; i <= text.size(); ++i) {
    EXPECT_EQ(Crc32c(text.substr(i), Crc32c(text.substr(0, i))), Crc32c(text));
  }
}

// The loop takes eight bytes at a time, so all lengths are compared with a loop
// over bits.
TEST(Crc32cTest, AnyLengthAndStart) {
  const auto bit_by_bit = [](std::string_view bytes) {
    uint32_t crc = ~uint32_t{0};
    for (const char c : bytes) {
      crc ^= static_cast<uint8_t>(c);
      for (int bit = 0; bit < 8; ++bit) {
        crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
      }
    }
    return ~crc;
  };
  std::string text;
  for (int i = 0; i < 40; ++i) text += static_cast<char>(37 * i);
  for (size_t begin = 0; begin < 9; ++begin) {
    for (size_t size = 0; begin + size <= text.size(); ++size) {
      const std::string_view part = std::string_view(text).substr(begin, size);
      EXPECT_EQ(Crc32c(part), bit_by_bit(part)) << begin << " " << size;
    }
  }
}

TEST(Crc32cTest, MasksAreThoseOfSortedTables) {
  EXPECT_EQ(MaskCrc32c(0), 0xa282ead8u);
  // Rotated by 15 bits, plus the constant, without the carry.
  EXPECT_EQ(MaskCrc32c(0x8000), 0xa282ead9u);
  EXPECT_EQ(MaskCrc32c(0xffffffffu), 0xa282ead7u);
}

}  // namespace
}  // namespace tfprof::tensorflow
