#include "record/copy_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace tfprof::record {
namespace {

TEST(CopyTextTest, CopiesAnyLengthAndNoMore) {
  std::string from;
  for (int i = 0; i < 100; ++i) from += static_cast<char>('!' + i % 90);
  for (uint32_t size = 0; size <= 100; ++size) {
    std::string to(102, '\x7f');
    CopyText(to.data() + 1, from.data(), size);
    EXPECT_EQ(to.substr(1, size), from.substr(0, size));
    EXPECT_EQ(to[0], '\x7f');
    EXPECT_EQ(to.substr(size + 1), std::string(101 - size, '\x7f')) << size;
  }
}

TEST(CopyTextTest, ZerosBecomeSpaces) {
  for (uint32_t size = 1; size <= 40; ++size) {
    for (uint32_t zero = 0; zero < size; ++zero) {
      std::string from(size, '\x80');  // not a 0, with its high bit
      from[zero] = 0;
      std::string to(size, 'x');
      CopyText(to.data(), from.data(), size);
      from[zero] = ' ';
      EXPECT_EQ(to, from) << size << " " << zero;
    }
  }
}

}  // namespace
}  // namespace tfprof::record
