#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using TraceCopiesTest = CallsCheckTest;

constexpr std::string_view kPinned = "Memcpy HtoD (Pinned -> Device)";
constexpr std::string_view kPageable = "Memcpy HtoD (Pageable -> Device)";

TEST_F(TraceCopiesTest, ManySmallCopies) {
  for (int64_t i = 0; i < 60; ++i) {
    Run("aten::copy_", kPinned, profile::LaneKind::kCopies, 10 * i, 2, -1, 8);
  }
  EXPECT_THAT(CheckTrace("CopyChecker:small_copies,pageable_copies"),
              ElementsAre("gpu:0: 60 copies between it and the host in each "
                          "step move fewer than 65.54KB each; they and the "
                          "gaps before them take 592us of 592us; most are of "
                          "aten::copy_ 60"));
  EXPECT_EQ(findings_[0].saving_micros, 592);
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
}

TEST_F(TraceCopiesTest, LargeCopiesAndCopiesOnTheDeviceAreNotSmall) {
  for (int64_t i = 0; i < 60; ++i) {
    Run("aten::copy_", kPinned, profile::LaneKind::kCopies, 20 * i, 2, -1,
        1 << 20);
    Run("aten::copy_", "Memcpy DtoD (Device -> Device)",
        profile::LaneKind::kCopies, 20 * i + 10, 2, -1, 8);
  }
  EXPECT_THAT(CheckTrace("CopyChecker:small_copies,pageable_copies"),
              IsEmpty());
}

// Before the copy of each batch the host reads input for 10 ms: only its last
// 20 us, in the call of the copy, belong to the copy.
TEST_F(TraceCopiesTest, ALongGapBelongsToWhatTheHostDid) {
  for (int64_t i = 0; i < 60; ++i) {
    const int64_t start = 10'000 * i;
    model_.Add({.name = std::string(kPinned),
                .node = model_.Op("aten::copy_"),
                .lane = model_.Stream(0, 7, profile::LaneKind::kCopies),
                .start = start * kTicks,
                .duration = 2 * kTicks,
                .launch = Launch("aten::copy_", start - 20),
                .bytes = 8});
    Kernel("aten::mm", start + 2, 50);
  }
  EXPECT_THAT(CheckTrace("CopyChecker:small_copies"),
              ElementsAre(testing::HasSubstr("take 1.30ms of 590.05ms")));
  EXPECT_EQ(findings_[0].saving_micros, 60 * 2 + 59 * 20);
}

// All copies but the last 10 are before the step.
TEST_F(TraceCopiesTest, CopiesOutsideOfStepsAreNoLossOfSteps) {
  for (int64_t i = 0; i < 60; ++i) {
    Run("aten::copy_", kPinned, profile::LaneKind::kCopies, 10 * i, 2, -1, 8);
  }
  StepInterval(0, 500, 1000);
  EXPECT_THAT(CheckTrace("CopyChecker:small_copies"), IsEmpty());
}

TEST_F(TraceCopiesTest, PageableMemory) {
  Run("aten::to", kPageable, profile::LaneKind::kCopies, 0, 30, -1, 1'000'000);
  Kernel("aten::mm", 20, 80);
  EXPECT_THAT(CheckTrace("CopyChecker:small_copies,pageable_copies"),
              ElementsAre("gpu:0: copies from or to pageable memory (1 in "
                          "all) take 30.0% of its time (30us of 100us) and "
                          "move 1.00MB; most of it aten::to 30us"));
  EXPECT_EQ(findings_[0].saving_micros, 20);  // the rest overlaps a kernel
}

// Input is copied once before a step.
TEST_F(TraceCopiesTest, WeightsThatAreCopiedBeforeEachLayer) {
  for (int64_t i = 0; i < 16; ++i) {
    Run("aten::copy_", kPageable, profile::LaneKind::kCopies, 100 * i, 80, -1,
        1 << 24);
    Kernel("aten::mm", 100 * i + 80, 20);
  }
  ASSERT_EQ(CheckTrace("CopyChecker:pageable_copies").size(), 1u);
  EXPECT_THAT(findings_[0].advice,
              testing::HasSubstr("keep them on the device"));
}

TEST_F(TraceCopiesTest, CopiesBetweenDevices) {
  Kernel("aten::mm", 0, 60);
  Run("aten::copy_", "Memcpy PtoP (Device -> Device)",
      profile::LaneKind::kCopies, 60, 40, -1, 1'000'000);
  EXPECT_THAT(CheckTrace("CopyChecker:exposed_copies"),
              ElementsAre("gpu:0: only copies for 40.0% of its time (40us of "
                          "100us): copies between it and other devices (1 in "
                          "all) move 1.00MB, and computation waits for them; "
                          "most are of aten::copy_ 1"));
}

TEST_F(TraceCopiesTest, PinnedMemoryIsFine) {
  Run("aten::to", kPinned, profile::LaneKind::kCopies, 0, 30, -1, 1'000'000);
  Kernel("aten::mm", 20, 80);
  EXPECT_THAT(CheckTrace("CopyChecker:small_copies,pageable_copies"),
              IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
