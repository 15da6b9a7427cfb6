#include <utility>

#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using profile::AllocatorBlock;
using profile::AllocatorEvent;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kMegabyte = 1'000'000;

class SnapshotCheckTest : public CallsCheckTest {
 protected:
  // An allocator that reserved 1 GB, of which `free` are free.
  static profile::AllocatorHistory Allocator(int64_t free) {
    profile::AllocatorHistory history;
    history.name = "gpu:0";
    const int64_t used = 1000 * kMegabyte - free;
    history.blocks = {{.bytes = used,
                       .requested = used,
                       .state = AllocatorBlock::State::kAllocated},
                      {.bytes = free}};
    history.segments = {{.bytes = 1000 * kMegabyte, .num_blocks = 2}};
    return history;
  }
  void Set(profile::AllocatorHistory history) {
    model_.builder().SetAllocators({std::move(history)});
  }
};

// An event that allocates `bytes`, and one that frees them.
void AddUse(int64_t bytes, profile::AllocatorHistory& history) {
  const auto first = static_cast<uint32_t>(history.events.size());
  history.events.push_back({.bytes = bytes,
                            .pair = first + 1,
                            .kind = AllocatorEvent::Kind::kAllocate});
  history.events.push_back(
      {.bytes = bytes, .pair = first, .kind = AllocatorEvent::Kind::kFree});
}

// What a step frees, the next one needs.
TEST_F(SnapshotCheckTest, MemoryThatTheNextStepNeedsIsNotWasted) {
  profile::AllocatorHistory history = Allocator(400 * kMegabyte);
  for (int step = 0; step < 3; ++step) AddUse(390 * kMegabyte, history);
  Set(std::move(history));
  EXPECT_THAT(CheckTrace("SnapshotChecker"), IsEmpty());
}

// The recording ends in the step of its peak.
TEST_F(SnapshotCheckTest, WithoutLaterStepsTheNeedIsUnknown) {
  profile::AllocatorHistory history = Allocator(400 * kMegabyte);
  for (int part = 0; part < 4; ++part) {
    history.events.push_back(
        {.bytes = 90 * kMegabyte, .kind = AllocatorEvent::Kind::kFree});
  }
  Set(std::move(history));
  EXPECT_THAT(CheckTrace("SnapshotChecker"), IsEmpty());
}

TEST_F(SnapshotCheckTest, OnlyAnEarlyPeakNeededIt) {
  profile::AllocatorHistory history = Allocator(400 * kMegabyte);
  AddUse(390 * kMegabyte, history);
  for (int step = 0; step < 8; ++step) AddUse(10 * kMegabyte, history);
  Set(std::move(history));
  EXPECT_THAT(
      CheckTrace("SnapshotChecker"),
      ElementsAre("gpu:0 reserves 1.00GB, and the second half of the recording "
                  "had at most 610.00MB of it allocated; the peak before was "
                  "990.00MB"));
  EXPECT_THAT(findings_[0].advice, HasSubstr("empty_cache"));
}

TEST_F(SnapshotCheckTest, FreePiecesAtThePeak) {
  profile::AllocatorHistory history = Allocator(400 * kMegabyte);
  for (int step = 0; step < 8; ++step) AddUse(10 * kMegabyte, history);
  Set(std::move(history));
  EXPECT_THAT(CheckTrace("SnapshotChecker"),
              ElementsAre("gpu:0 had 610.00MB allocated at its peak and 1.00GB "
                          "reserved: 390.00MB of it (39.0%) were free pieces",
                          HasSubstr("gpu:0 reserves 1.00GB")));
  EXPECT_THAT(findings_[0].advice, HasSubstr("expandable_segments"));
}

TEST_F(SnapshotCheckTest, PrivatePoolsThatAreFree) {
  profile::AllocatorHistory history = Allocator(400 * kMegabyte);
  history.segments[0].pool = {0, 1};
  for (int step = 0; step < 3; ++step) AddUse(10 * kMegabyte, history);
  Set(std::move(history));
  EXPECT_THAT(CheckTrace("SnapshotChecker"),
              ElementsAre("gpu:0 has 390.00MB of its 1.00GB free in private "
                          "pools (of CUDA graphs), which alone may use it"));
  EXPECT_THAT(findings_[0].advice, HasSubstr("share one pool"));
}

TEST_F(SnapshotCheckTest, Rounding) {
  profile::AllocatorHistory history = Allocator(0);
  history.blocks[0].requested = 600 * kMegabyte;
  AddUse(0, history);
  Set(std::move(history));
  EXPECT_THAT(CheckTrace("SnapshotChecker"),
              ElementsAre("rounding takes 400.00MB of the 1.00GB that gpu:0 "
                          "reserved (40.0%): 600.00MB were asked for"));
  EXPECT_THAT(findings_[0].advice, HasSubstr("roundup_power2_divisions"));
}

TEST_F(SnapshotCheckTest, WithoutEventsTheNeedIsUnknown) {
  Set(Allocator(400 * kMegabyte));
  EXPECT_THAT(CheckTrace("SnapshotChecker"),
              ElementsAre("400.00MB of the 1.00GB that gpu:0 reserved are free "
                          "at the end (40.0%), in 1 piece of at most 400.00MB; "
                          "what the program needs at its peak was not "
                          "recorded"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

TEST_F(SnapshotCheckTest, LittleIsFree) {
  Set(Allocator(200 * kMegabyte));
  EXPECT_THAT(CheckTrace("SnapshotChecker"), IsEmpty());
}

TEST_F(SnapshotCheckTest, ARequestThatFailed) {
  profile::AllocatorHistory history = Allocator(50 * kMegabyte);
  history.blocks.push_back({.bytes = 50 * kMegabyte});
  history.blocks[0].bytes -= 50 * kMegabyte;
  history.blocks[0].requested = history.blocks[0].bytes;
  history.segments[0].num_blocks = 3;
  history.events = {{.address = 5 * kMegabyte,
                     .bytes = 80 * kMegabyte,
                     .kind = AllocatorEvent::Kind::kOutOfMemory}};
  Set(std::move(history));
  EXPECT_THAT(
      CheckTrace("SnapshotChecker"),
      ElementsAre("gpu:0 ran out of memory 1 time. The first request was "
                  "80.00MB; the device had 5.00MB free, 900.00MB were "
                  "allocated, and 100.00MB more were free in pieces of at most "
                  "50.00MB"));
  EXPECT_THAT(findings_[0].advice, HasSubstr("expandable_segments"));
}

TEST_F(SnapshotCheckTest, MoreThanTheProcessCouldHave) {
  profile::AllocatorHistory history = Allocator(0);
  history.events = {{.address = 5 * kMegabyte,
                     .bytes = 80 * kMegabyte,
                     .kind = AllocatorEvent::Kind::kOutOfMemory}};
  Set(std::move(history));
  EXPECT_THAT(
      CheckTrace("SnapshotChecker"),
      ElementsAre(HasSubstr("this process could not have more than 1.00GB")));
  EXPECT_THAT(findings_[0].advice, HasSubstr("other processes"));
}

TEST_F(SnapshotCheckTest, StepsThatKeepMemory) {
  profile::AllocatorHistory history = Allocator(100 * kMegabyte);
  profile::GraphTables& graph = model_.builder().mutable_graph();
  const profile::StackId main = graph.stacks.Push(
      profile::kNoStack, {.file = graph.strings.Intern("/u/train.py"),
                          .function = graph.strings.Intern("keep"),
                          .lineno = 7});
  const profile::StackId torch = graph.stacks.Push(
      main, {.file = graph.strings.Intern("/x/site-packages/torch/t.py"),
             .function = graph.strings.Intern("repeat"),
             .lineno = 9});
  for (int step = 0; step < 5; ++step) {
    history.ranges.push_back(
        {.name = graph.strings.Intern("ProfilerStep#" + std::to_string(step)),
         .start = step * 100,
         .end = step * 100 + 99});
    for (const int64_t bytes : {4 * kMegabyte, kMegabyte / 1000}) {
      history.events.push_back({.time = step * 100 + 5,
                                .bytes = bytes,
                                // The small one is not worth a finding.
                                .stack = bytes < kMegabyte ? main : torch,
                                .kind = AllocatorEvent::Kind::kAllocate});
    }
  }
  Set(std::move(history));
  EXPECT_THAT(CheckTrace("SnapshotChecker"),
              ElementsAre("gpu:0 keeps 4.00MB more with each step (20.00MB in "
                          "10 allocations at the end): 4.00MB in "
                          "/u/train.py:7:keep"));
}

}  // namespace
}  // namespace tfprof::advisor
