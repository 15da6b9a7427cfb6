#include "inspect/devices/device_words.h"

#include "gtest/gtest.h"

namespace tfprof::inspect {
namespace {

TEST(DeviceWordsTest, OneDevice) {
  for (const char* words : {"gpu:0", "GPU:0", "gpu0", "gpu 0", "GPU 0", "0"}) {
    EXPECT_TRUE(IsDeviceMeant("gpu:0", words)) << words;
    EXPECT_TRUE(IsDeviceMeant("rank 1 gpu:0", words)) << words;
    EXPECT_FALSE(IsDeviceMeant("gpu:10", words)) << words;
    EXPECT_FALSE(IsDeviceMeant("gpu:1", words)) << words;
  }
  EXPECT_TRUE(IsDeviceMeant("rank 1 gpu:0", "rank 1 gpu:0"));
  EXPECT_FALSE(IsDeviceMeant("rank 2 gpu:0", "rank 1 gpu:0"));
  EXPECT_TRUE(IsDeviceMeant("/job:w/replica:0/task:0/device:GPU:0", "gpu:0"));
}

TEST(DeviceWordsTest, AllOfAKind) {
  EXPECT_TRUE(IsDeviceMeant("gpu:3", "gpu"));
  EXPECT_TRUE(IsDeviceMeant("rank 1 gpu:3", "GPU"));
  EXPECT_FALSE(IsDeviceMeant("cpu:3", "gpu"));
  EXPECT_FALSE(IsDeviceMeant("cpu:3", "pu"));
  EXPECT_FALSE(IsDeviceMeant("cpu:3", ""));
}

}  // namespace
}  // namespace tfprof::inspect
