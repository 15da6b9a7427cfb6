#include "loaders/chrome_json/unitrace_name.h"

#include <gtest/gtest.h>

namespace tfprof::chrome_json {
namespace {

using Kind = UnitraceName::Kind;
using profile::CopyKind;

TEST(UnitraceNameTest, KernelsLoseHowTheyRan) {
  const UnitraceName name =
      ReadUnitraceName("gemm<int[4]> [SIMD32 {108; 1; 1} {256; 1; 1}]");
  EXPECT_EQ(name.name, "gemm<int[4]>");
  EXPECT_EQ(name.how, "SIMD32 {108; 1; 1} {256; 1; 1}");
  EXPECT_EQ(name.kind, Kind::kKernel);
  EXPECT_EQ(name.bytes, -1);
}

TEST(UnitraceNameTest, OtherBracketsStay) {
  for (const std::string_view text :
       {"f<a[4]>", "f[4]", "[SIMD32 {1}]", "]", "f[many bytes]", "", "zero"}) {
    EXPECT_EQ(ReadUnitraceName(text).name, text);
    EXPECT_EQ(ReadUnitraceName(text).kind, Kind::kKernel) << text;
  }
}

TEST(UnitraceNameTest, CopiesHaveADirectionAndASize) {
  const UnitraceName name =
      ReadUnitraceName("zeCommandListAppendMemoryCopy(M2D)[8388608 bytes]");
  EXPECT_EQ(name.name, "zeCommandListAppendMemoryCopy(M2D)");
  EXPECT_EQ(name.kind, Kind::kCopy);
  EXPECT_EQ(name.copy, CopyKind::kToDevice);
  EXPECT_EQ(name.bytes, 8'388'608);
  const auto kind = [](std::string_view text) {
    return ReadUnitraceName(text).copy;
  };
  EXPECT_EQ(kind("zeCommandListAppendMemoryCopy(D2M)[4 bytes]"),
            CopyKind::kToHost);
  EXPECT_EQ(kind("zeCommandListAppendMemoryCopy(D2D)"), CopyKind::kOnDevice);
  EXPECT_EQ(kind("zeCommandListAppendMemoryCopy(S2S)"), CopyKind::kUnknown);
  EXPECT_EQ(kind("zeCommandListAppendMemoryCopy"), CopyKind::kUnknown);
  EXPECT_EQ(ReadUnitraceName("zeCommandListAppendMemoryFill[64 bytes]").kind,
            Kind::kSet);
  EXPECT_EQ(ReadUnitraceName("zeCommandListAppendBarrier").kind, Kind::kSync);
}

TEST(UnitraceNameTest, CallsOfTheInterfaceAreKnown) {
  EXPECT_TRUE(IsDeviceCall("zeCommandQueueExecuteCommandLists"));
  EXPECT_TRUE(IsDeviceCall("clEnqueueNDRangeKernel"));
  EXPECT_FALSE(IsDeviceCall("zero_grad"));
  EXPECT_FALSE(IsDeviceCall("aten::addmm"));
  EXPECT_FALSE(IsDeviceCall("ze"));
}

}  // namespace
}  // namespace tfprof::chrome_json
