#include "flops/device_peaks.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace tfprof::flops {
namespace {

TEST(DevicePeaksTest, ModelsByTheNamesThatFilesHave) {
  EXPECT_EQ(PeaksOfModel("NVIDIA H100 80GB HBM3")->flops_per_second, 989.5e12);
  EXPECT_EQ(PeaksOfModel("NVIDIA H100 PCIe")->flops_per_second, 756e12);
  EXPECT_EQ(PeaksOfModel("NVIDIA A100-SXM4-80GB")->bytes_per_second, 2039e9);
  EXPECT_EQ(PeaksOfModel("Tesla V100-SXM2-32GB")->flops_per_second, 125e12);
  EXPECT_EQ(PeaksOfModel("NVIDIA B200")->bytes_per_second, 8000e9);
  EXPECT_EQ(PeaksOfModel("AMD Instinct MI300X VF")->flops_per_second,
            1307.4e12);
  EXPECT_EQ(PeaksOfModel("TPU v6 Lite")->flops_per_second, 918e12);
  EXPECT_EQ(PeaksOfModel("TPU v5 lite")->bytes_per_second, 819e9);
  EXPECT_EQ(PeaksOfModel("NVIDIA GeForce RTX 2080 Ti")->bytes_per_second,
            616e9);
}

TEST(DevicePeaksTest, OperationsOf32BitHaveALowerPeak) {
  const DevicePeaks h100 = *PeaksOfModel("NVIDIA H100 80GB HBM3");
  EXPECT_EQ(PeaksAt(h100, /*all_fp32=*/true, 50e12).flops_per_second, 67e12);
  EXPECT_EQ(PeaksAt(h100, /*all_fp32=*/true, 50e12).bytes_per_second,
            h100.bytes_per_second);
  // This rate is only possible with TF32.
  EXPECT_EQ(PeaksAt(h100, /*all_fp32=*/true, 300e12).flops_per_second,
            494.75e12);
  EXPECT_EQ(PeaksAt(h100, /*all_fp32=*/false, 50e12).flops_per_second,
            989.5e12);
  // The user's peaks have no fp32 peak.
  const DevicePeaks given = *ParseDevicePeaks("1e15,1e12");
  EXPECT_EQ(PeaksAt(given, /*all_fp32=*/true, 1e12).flops_per_second, 1e15);
}

TEST(DevicePeaksTest, OtherModelsAreNotKnown) {
  EXPECT_FALSE(PeaksOfModel("AMD Radeon Graphics"));
  EXPECT_FALSE(PeaksOfModel(""));
  EXPECT_FALSE(PeaksOfModel("ARTEMIS"));
}

TEST(DevicePeaksTest, EachModelIsFoundByItsOwnName) {
  std::set<std::string_view> parts;
  for (const ModelPeaks& row : ModelPeaksTable()) {
    EXPECT_TRUE(parts.insert(row.part).second) << row.part;
    const auto found = PeaksOfModel(row.part);
    ASSERT_TRUE(found) << row.part;
    EXPECT_EQ(found->flops_per_second, row.tera_flops * 1e12) << row.part;
  }
}

TEST(DevicePeaksTest, TheFileCountsMoreThanTheTable) {
  profile::PhysicalDevice device;
  device.model = "TPU v6 Lite";
  device.peak_flops_per_second = 920e12;
  EXPECT_EQ(PeaksOf(device)->flops_per_second, 920e12);
  EXPECT_EQ(PeaksOf(device)->bytes_per_second, 1640e9);
  EXPECT_EQ(PeaksOf(device)->source, PeaksSource::kFile);
  EXPECT_FALSE(PeaksOf(profile::PhysicalDevice()));
}

TEST(DevicePeaksTest, WhatTheUserSays) {
  const auto peaks = ParseDevicePeaks("989e12,3.35e12");
  ASSERT_TRUE(peaks);
  EXPECT_EQ(peaks->flops_per_second, 989e12);
  EXPECT_EQ(peaks->bytes_per_second, 3.35e12);
  EXPECT_NEAR(peaks->ridge(), 295.2, 0.1);
  for (const char* text :
       {"989TF,3.35TB", "989TFLOPS,3.35TB/s", "989T,3350G"}) {
    const auto same = ParseDevicePeaks(text);
    ASSERT_TRUE(same) << text;
    EXPECT_NEAR(same->flops_per_second, 989e12, 1);
    EXPECT_NEAR(same->bytes_per_second, 3.35e12, 1);
  }
  for (const char* text :
       {"", "1", "1,", ",1", "0,1", "1,-1", "nan,1", "inf,1", "1,2,3", "a,b"}) {
    EXPECT_FALSE(ParseDevicePeaks(text)) << text;
  }
}

TEST(DevicePeaksTest, GpusWithTf32) {
  const auto has_tf32 = [](std::string_view model) {
    profile::PhysicalDevice device;
    device.model = model;
    return HasTf32(device);
  };
  EXPECT_EQ(has_tf32("NVIDIA A100-SXM4-40GB"), true);
  EXPECT_EQ(has_tf32("NVIDIA H100 80GB HBM3"), true);
  EXPECT_EQ(has_tf32("Tesla V100-SXM2-32GB"), false);
  EXPECT_EQ(has_tf32("NVIDIA GeForce RTX 2080 Ti"), false);
  EXPECT_EQ(has_tf32("AMD Instinct MI300X"), false);
  EXPECT_EQ(has_tf32("a GPU, compute capability 8.6"), true);
  EXPECT_EQ(has_tf32("a GPU, compute capability 7.5"), false);
  EXPECT_EQ(has_tf32("GeForce of tomorrow"), std::nullopt);
}

}  // namespace
}  // namespace tfprof::flops
