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

}  // namespace
}  // namespace tfprof::advisor
