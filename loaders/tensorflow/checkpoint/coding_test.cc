#include "loaders/tensorflow/checkpoint/coding.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "loaders/tensorflow/checkpoint/checkpoint_testing.h"

namespace tfprof::tensorflow {
namespace {

TEST(LoadFixedTest, BothByteOrders) {
  const std::string bytes = "\x01\x02\x03\x04\x05\x06\x07\xf8";
  EXPECT_EQ(LoadLittle<uint32_t>(bytes.data()), 0x04030201u);
  EXPECT_EQ(LoadBig<uint32_t>(bytes.data()), 0x01020304u);
  EXPECT_EQ(LoadLittle<uint64_t>(bytes.data()), 0xf807060504030201u);
  EXPECT_EQ(LoadBig<uint64_t>(bytes.data()), 0x01020304050607f8u);
  // An unaligned address.
  EXPECT_EQ(LoadLittle<uint32_t>(bytes.data() + 3), 0x07060504u);
}

TEST(ConsumeVarintTest, TakesANumberOffTheFront) {
  for (const uint64_t value :
       {uint64_t{0}, uint64_t{1}, uint64_t{127}, uint64_t{128}, uint64_t{300},
        uint64_t{1} << 35, std::numeric_limits<uint64_t>::max()}) {
    const std::string bytes = VarintBytes(value) + "rest";
    std::string_view in = bytes;
    uint64_t read = ~value;
    ASSERT_TRUE(ConsumeVarint(&in, &read)) << value;
    EXPECT_EQ(read, value);
    EXPECT_EQ(in, "rest");
  }
}

TEST(ConsumeVarintTest, NumbersThatEndEarlyOrAreTooLong) {
  const std::string eleven(10, '\xff');
  for (const std::string& bytes :
       {std::string(), std::string("\x80"), std::string("\xff\xff"),
        eleven + '\x01', std::string(9, '\xff') + '\x02',
        std::string(10, '\x80')}) {
    std::string_view in = bytes;
    uint64_t value = 7;
    EXPECT_FALSE(ConsumeVarint(&in, &value));
    EXPECT_EQ(in, bytes);
    EXPECT_EQ(value, 7u);
  }
}

// Writers may use more bytes than needed.
TEST(ConsumeVarintTest, LeadingZeros) {
  const std::string bytes("\x81\x80\x00", 3);
  std::string_view in = bytes;
  uint64_t value = 0;
  ASSERT_TRUE(ConsumeVarint(&in, &value));
  EXPECT_EQ(value, 1u);
  EXPECT_TRUE(in.empty());
}

}  // namespace
}  // namespace tfprof::tensorflow
