#include "profile/tables/call_stacks.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

using ::testing::IsEmpty;

TEST(CallStacksTest, StacksShareTheirCallers) {
  CallStacks stacks;
  const Frame main = {.file = 0, .function = 1, .lineno = 10};
  const Frame build = {.file = 0, .function = 2, .lineno = 20};
  const Frame other = {.file = 0, .function = 2, .lineno = 21};
  const StackId root = stacks.Push(kNoStack, main);
  const StackId a = stacks.Push(root, build);
  EXPECT_EQ(stacks.Push(stacks.Push(kNoStack, main), build), a);
  const StackId b = stacks.Push(root, other);
  EXPECT_NE(a, b);
  EXPECT_EQ(stacks.num_frames(), 3u);
  EXPECT_EQ(stacks.size(), 4u);  // includes the empty stack
  const std::vector<FrameId> frames = stacks.Frames(b);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(stacks.frame(frames[0]), main);
  EXPECT_EQ(stacks.frame(frames[1]), other);
  EXPECT_THAT(stacks.Frames(kNoStack), IsEmpty());
}

TEST(CallStacksTest, RecursionIsDeep) {
  CallStacks stacks;
  StackId id = kNoStack;
  for (int i = 0; i < 1000; ++i) id = stacks.Push(id, {.lineno = 1});
  EXPECT_EQ(stacks.num_frames(), 1u);
  EXPECT_EQ(stacks.Frames(id).size(), 1000u);
}

TEST(CallStacksTest, OnlyTheEmptyStackExistsAtFirst) {
  const CallStacks stacks;
  EXPECT_EQ(stacks.size(), 1u);
  EXPECT_EQ(stacks.num_frames(), 0u);
  EXPECT_EQ(stacks[kNoStack].parent, kNoStack);
  EXPECT_EQ(stacks[kNoStack].frame, kNone);
}

TEST(CallStacksTest, FramesDifferInAnyField) {
  CallStacks stacks;
  const Frame frame = {
      .file = 1, .function = 2, .line = 3, .lineno = 4, .func_start_line = 5};
  const FrameId id = stacks.InternFrame(frame);
  std::vector<Frame> others(5, frame);
  others[0].file = kNone;
  others[1].function = 9;
  others[2].line = 9;
  others[3].lineno = -1;
  others[4].func_start_line = 9;
  for (const Frame& other : others) {
    EXPECT_NE(stacks.InternFrame(other), id);
    EXPECT_EQ(stacks.InternFrame(frame), id);
  }
  EXPECT_EQ(stacks.num_frames(), 6u);
}

TEST(CallStacksTest, OneFrameMayHaveSeveralCallers) {
  CallStacks stacks;
  const FrameId a = stacks.InternFrame({.lineno = 1});
  const FrameId b = stacks.InternFrame({.lineno = 2});
  const StackId b_of_a = stacks.Push(stacks.Push(kNoStack, a), b);
  const StackId b_of_b = stacks.Push(stacks.Push(kNoStack, b), b);
  EXPECT_NE(b_of_a, b_of_b);
  EXPECT_EQ(stacks[b_of_a].frame, stacks[b_of_b].frame);
  EXPECT_EQ(stacks[stacks[b_of_b].parent].frame, b);
  EXPECT_EQ(stacks.num_frames(), 2u);
}

TEST(CallStacksTest, BytesCountStacksAndFrames) {
  CallStacks stacks;
  const size_t before = stacks.bytes();
  for (int32_t i = 0; i < 1000; ++i) stacks.Push(kNoStack, {.lineno = i});
  EXPECT_GE(stacks.bytes(),
            before + 1000 * (sizeof(Frame) + sizeof(CallStacks::Entry)) -
                sizeof(CallStacks::Entry));
}

}  // namespace
}  // namespace tfprof::profile
