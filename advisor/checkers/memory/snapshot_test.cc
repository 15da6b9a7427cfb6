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

TEST_F(SnapshotCheckTest, MuchIsFree) {
  Set(Allocator(400 * kMegabyte));
  EXPECT_THAT(CheckTrace("SnapshotChecker"),
              ElementsAre("400.00MB of the 1.00GB that gpu:0 reserved are free "
                          "at the end (40.0%), in 1 piece of at most "
                          "400.00MB"));
}

TEST_F(SnapshotCheckTest, LittleIsFree) {
  Set(Allocator(200 * kMegabyte));
  EXPECT_THAT(CheckTrace("SnapshotChecker"), IsEmpty());
}

TEST_F(SnapshotCheckTest, ARequestThatFailed) {
  profile::AllocatorHistory history = Allocator(100 * kMegabyte);
  history.events = {{.address = 5 * kMegabyte,
                     .bytes = 80 * kMegabyte,
                     .kind = AllocatorEvent::Kind::kOutOfMemory}};
  Set(std::move(history));
  EXPECT_THAT(
      CheckTrace("SnapshotChecker"),
      ElementsAre("gpu:0 ran out of memory 1 time. The first request was "
                  "80.00MB; the device had 5.00MB free, 900.00MB were "
                  "allocated, and the allocator kept 100.00MB more, enough for "
                  "it but not in one piece"));
  EXPECT_THAT(findings_[0].advice, HasSubstr("expandable_segments"));
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
              ElementsAre("gpu:0 keeps 4.00MB more in 5 of 5 steps: 20.00MB in "
                          "5 allocations that were never freed, made by "
                          "/u/train.py:7:keep"));
}

}  // namespace
}  // namespace tfprof::advisor
