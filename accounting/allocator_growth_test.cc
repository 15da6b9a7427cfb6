#include "accounting/allocator_growth.h"

#include <string>
#include <vector>

#include "fmt/format.h"
#include "gtest/gtest.h"

namespace tfprof::accounting {
namespace {

using profile::AllocatorEvent;
using profile::AllocatorHistory;
using profile::kNone;

constexpr int64_t kStepLength = 100;

// A program whose steps allocate memory, in stack 1 what is freed in the same
// step, in stack 2 what the next step frees.
class AllocatorGrowthTest : public ::testing::Test {
 protected:
  void Run(int steps) {
    for (int step = 0; step < steps; ++step) {
      const int64_t start = step * kStepLength;
      const uint32_t scratch = Allocate(start + 10, 1000, 1);
      const uint32_t next = Allocate(start + 20, 500, 2);
      Free(scratch, start + 30);
      if (before_ != kNone) Free(before_, start + 40);
      before_ = next;
    }
  }
  void Mark(int steps, const std::string& name) {
    for (int step = 0; step < steps; ++step) {
      history_.ranges.push_back(
          {.name = strings_.Intern(fmt::format("{}{}", name, step)),
           .start = step * kStepLength,
           .end = step * kStepLength + 95});
    }
  }
  uint32_t Allocate(int64_t time, int64_t bytes, profile::StackId stack) {
    history_.events.push_back({.time = time,
                               .bytes = bytes,
                               .stack = stack,
                               .kind = AllocatorEvent::Kind::kAllocate});
    return static_cast<uint32_t>(history_.events.size() - 1);
  }
  void Free(uint32_t allocation, int64_t time) {
    history_.events[allocation].pair =
        static_cast<uint32_t>(history_.events.size());
    history_.events.push_back({.time = time,
                               .bytes = history_.events[allocation].bytes,
                               .pair = allocation,
                               .kind = AllocatorEvent::Kind::kFree});
  }
  AllocatorGrowth Growth() const { return GrowthOf(history_, strings_); }

  AllocatorHistory history_;
  profile::StringPool strings_;
  uint32_t before_ = kNone;
};

TEST_F(AllocatorGrowthTest, WhatIsFreedDoesNotGrow) {
  Run(6);
  Mark(6, "ProfilerStep#");
  const AllocatorGrowth growth = Growth();
  EXPECT_EQ(growth.parts, 6);
  EXPECT_TRUE(growth.parts_are_steps);
  EXPECT_TRUE(growth.owners.empty());
}

TEST_F(AllocatorGrowthTest, StepsThatKeepMemory) {
  Run(6);
  for (int step = 0; step < 6; ++step) {
    Allocate(step * kStepLength + 50, 40, 3);
  }
  Allocate(555, 7000, 4);    // in one step only
  Mark(7, "ProfilerStep#");  // the last one allocates nothing
  const AllocatorGrowth growth = Growth();
  ASSERT_EQ(growth.owners.size(), 1);
  EXPECT_EQ(growth.owners[0].stack, 3);
  EXPECT_EQ(growth.owners[0].bytes, 240);
  EXPECT_EQ(growth.owners[0].count, 6);
  EXPECT_EQ(growth.owners[0].parts, 6);
  EXPECT_EQ(growth.owners[0].bytes_per_part, 40);
}

TEST_F(AllocatorGrowthTest, ATensorThatIsReplacedByALargerOne) {
  Run(8);
  uint32_t before = kNone;
  for (int step = 0; step < 8; ++step) {
    const int64_t start = step * kStepLength;
    const uint32_t next = Allocate(start + 50, 100 * (step + 1), 3);
    if (before != kNone) Free(before, start + 60);
    before = next;
  }
  Mark(8, "ProfilerStep#");
  const AllocatorGrowth growth = Growth();
  ASSERT_EQ(growth.owners.size(), 1);
  EXPECT_EQ(growth.owners[0].bytes, 800);
  EXPECT_EQ(growth.owners[0].count, 1);
  EXPECT_EQ(growth.owners[0].bytes_per_part, 100);
}

TEST_F(AllocatorGrowthTest, EverySecondStepKeepsMemory) {
  Run(20);
  for (int step = 0; step < 20; step += 2) {
    Allocate(step * kStepLength + 50, 190, 3);
  }
  Mark(20, "ProfilerStep#");
  const AllocatorGrowth growth = Growth();
  ASSERT_EQ(growth.owners.size(), 1);
  EXPECT_EQ(growth.owners[0].parts, 10);
  EXPECT_EQ(growth.owners[0].bytes_per_part, 90);
}

// A buffer is full, or a model is loaded.
TEST_F(AllocatorGrowthTest, WhatEndsIsNoGrowth) {
  Run(20);
  for (int step = 0; step < 14; ++step) {
    Allocate(step * kStepLength + 50, 40, 3);
  }
  Mark(20, "ProfilerStep#");
  EXPECT_TRUE(Growth().owners.empty());
}

// Garbage is collected from time to time.
TEST_F(AllocatorGrowthTest, WhatIsGivenBackIsNoGrowth) {
  Run(20);
  std::vector<uint32_t> held;
  for (int step = 0; step < 20; ++step) {
    const int64_t start = step * kStepLength;
    if (step % 7 == 6) {
      for (const uint32_t of : held) Free(of, start + 45);
      held.clear();
    }
    held.push_back(Allocate(start + 50, 40, 3));
  }
  Mark(20, "ProfilerStep#");
  EXPECT_TRUE(Growth().owners.empty());
}

// Without marks, a recording of one pass has nothing that repeats.
TEST_F(AllocatorGrowthTest, WithoutMarksSomethingMustRepeat) {
  for (int i = 0; i < 40; ++i) Allocate(i * 50, 40, 3);
  EXPECT_TRUE(Growth().owners.empty());
}

TEST_F(AllocatorGrowthTest, FewerThanFourStepsAreNoEvidence) {
  Run(3);
  for (int step = 0; step < 3; ++step) {
    Allocate(step * kStepLength + 50, 40, 3);
  }
  Mark(3, "ProfilerStep#");
  EXPECT_TRUE(Growth().owners.empty());
}

TEST_F(AllocatorGrowthTest, TheOptimizerMarksSteps) {
  Run(6);
  for (int step = 0; step < 6; ++step) {
    Allocate(step * kStepLength + 50, 40, 3);
  }
  Mark(6, "Optimizer.step#Adam.step");
  // The first step is before the first end.
  const AllocatorGrowth growth = Growth();
  EXPECT_EQ(growth.parts, 5);
  EXPECT_TRUE(growth.parts_are_steps);
  ASSERT_EQ(growth.owners.size(), 1);
  EXPECT_EQ(growth.owners[0].count, 5);
}

TEST_F(AllocatorGrowthTest, WithoutMarksThePartsAreEqual) {
  Run(16);
  for (int step = 0; step < 16; ++step) {
    Allocate(step * kStepLength + 50, 40, 3);
  }
  const AllocatorGrowth growth = Growth();
  EXPECT_EQ(growth.parts, AllocatorGrowth::kEqualParts);
  EXPECT_FALSE(growth.parts_are_steps);
  ASSERT_EQ(growth.owners.size(), 1);
  EXPECT_EQ(growth.owners[0].bytes, 640);
  EXPECT_EQ(growth.owners[0].parts, 8);
  EXPECT_EQ(growth.owners[0].bytes_per_part, 80);
}

TEST_F(AllocatorGrowthTest, WithoutTimesNothingIsKnown) {
  history_.events.resize(20);
  for (AllocatorEvent& event : history_.events) {
    event.kind = AllocatorEvent::Kind::kAllocate;
    event.bytes = 8;
  }
  EXPECT_EQ(Growth().parts, 0);
}

}  // namespace
}  // namespace tfprof::accounting
