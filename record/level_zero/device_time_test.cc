#include "record/level_zero/device_time.h"

#include <gtest/gtest.h>

namespace tfprof::record::level_zero {
namespace {

TEST(DeviceTimeTest, TicksBecomeNanoseconds) {
  DeviceTime time;
  EXPECT_FALSE(time.is_known());
  time.Set(12'500'000, 64, 64);
  EXPECT_TRUE(time.is_known());
  time.Read(1000);
  EXPECT_EQ(time.now(), 80'000u);
  EXPECT_EQ(time.OfKernel(900), 72'000u);
  // A tick takes 52.083 ns.
  time.Set(19'200'000, 64, 64);
  EXPECT_EQ(time.now(), 52'083u);
  EXPECT_EQ(time.resolution(), 53u);
}

TEST(DeviceTimeTest, TicksThatWrapAreCountedOn) {
  DeviceTime time;
  time.Set(1'000'000'000, 32, 32);
  time.Read(0xfffffff0);
  time.Read(0x10);
  EXPECT_EQ(time.now(), 0x1'0000'0010u);
  time.Read(0x8);  // once around
  EXPECT_EQ(time.now(), 0x2'0000'0008u);
}

TEST(DeviceTimeTest, TimesOfKernelsHaveFewerBits) {
  DeviceTime time;
  time.Set(1'000'000'000, 36, 24);
  time.Read(0x3'0000'1000);
  EXPECT_EQ(time.OfKernel(0x00'0f00), 0x3'0000'0f00u);
  // These ticks are from before the 24 bits wrapped.
  EXPECT_EQ(time.OfKernel(0xff'ff00), 0x2'ffff'ff00u);
}

TEST(DeviceTimeTest, LongTimesDoNotOverflow) {
  DeviceTime time;
  time.Set(1'000'000'000, 64, 64);
  constexpr uint64_t kYear = 365u * 24 * 3600 * 1'000'000'000u;
  time.Read(100 * kYear);
  EXPECT_EQ(time.now(), 100 * kYear);
}

}  // namespace
}  // namespace tfprof::record::level_zero
