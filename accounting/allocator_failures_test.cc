#include "accounting/allocator_failures.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::accounting {
namespace {

using profile::AllocatorBlock;
using profile::AllocatorEvent;
using profile::AllocatorHistory;
using Cause = AllocatorFailure::Cause;

constexpr int64_t kMegabyte = 1'000'000;

class AllocatorFailuresTest : public ::testing::Test {
 protected:
  // Adds a segment with an allocated block and free ones. Sizes are megabytes.
  void Segment(int64_t stream, int64_t used, const std::vector<int64_t>& free,
               profile::AllocatorPool pool = {}, int64_t rounding = 0) {
    profile::AllocatorSegment segment{
        .bytes = (used + rounding) * kMegabyte,
        .stream = stream,
        .pool = pool,
        .first_block = static_cast<uint32_t>(history_.blocks.size())};
    history_.blocks.push_back({.bytes = (used + rounding) * kMegabyte,
                               .requested = used * kMegabyte,
                               .state = AllocatorBlock::State::kAllocated});
    for (const int64_t piece : free) {
      history_.blocks.push_back({.bytes = piece * kMegabyte});
      segment.bytes += piece * kMegabyte;
    }
    segment.num_blocks =
        static_cast<uint32_t>(history_.blocks.size()) - segment.first_block;
    history_.segments.push_back(segment);
  }
  void Fail(int64_t megabytes, int64_t stream = 0) {
    history_.events.push_back({.address = 5 * kMegabyte,
                               .bytes = megabytes * kMegabyte,
                               .kind = AllocatorEvent::Kind::kOutOfMemory});
    history_.failure_streams.push_back(stream);
  }
  std::vector<AllocatorFailure> Failures() const {
    return FailuresOf(history_, LevelsOf(history_));
  }

  AllocatorHistory history_;
};

TEST_F(AllocatorFailuresTest, NoMemoryIsFree) {
  Segment(0, 900, {10});
  Fail(80);
  const std::vector<AllocatorFailure> failures = Failures();
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].cause, Cause::kFull);
  EXPECT_TRUE(failures[0].knows_pieces);
  EXPECT_EQ(failures[0].requested, 80 * kMegabyte);
  EXPECT_EQ(failures[0].device_free, 5 * kMegabyte);
  EXPECT_EQ(failures[0].allocated, 900 * kMegabyte);
  EXPECT_EQ(failures[0].reserved, 910 * kMegabyte);
}

TEST_F(AllocatorFailuresTest, FreePiecesThatAreTooSmall) {
  Segment(0, 900, {50, 40});
  Fail(80);
  EXPECT_EQ(Failures()[0].cause, Cause::kFragmented);
  EXPECT_EQ(Failures()[0].free, 90 * kMegabyte);
  EXPECT_EQ(Failures()[0].largest, 50 * kMegabyte);
}

TEST_F(AllocatorFailuresTest, APieceOfAnotherStream) {
  Segment(0, 900, {10});
  Segment(7, 1, {200});
  Fail(80);
  Fail(80, /*stream=*/7);
  EXPECT_EQ(Failures()[0].cause, Cause::kOtherStream);
  EXPECT_EQ(Failures()[0].elsewhere, 200 * kMegabyte);
  EXPECT_EQ(Failures()[1].cause, Cause::kFragmented);
}

TEST_F(AllocatorFailuresTest, APieceOfAPrivatePool) {
  Segment(0, 900, {10});
  Segment(0, 1, {200}, {0, 1});
  Fail(80);
  EXPECT_EQ(Failures()[0].cause, Cause::kOtherPool);
}

TEST_F(AllocatorFailuresTest, RoundingTookIt) {
  Segment(0, 500, {}, {}, /*rounding=*/400);
  Fail(80);
  EXPECT_EQ(Failures()[0].cause, Cause::kRounding);
  EXPECT_EQ(Failures()[0].rounding, 400 * kMegabyte);
}

// The program caught the error, and freed much: the pieces of the end are not
// those of the failure.
TEST_F(AllocatorFailuresTest, PiecesOfAnotherTimeSayNothing) {
  Segment(0, 500, {500});
  Fail(80);
  history_.events.push_back(
      {.bytes = 450 * kMegabyte, .kind = AllocatorEvent::Kind::kFree});
  const AllocatorFailure failure = Failures()[0];
  EXPECT_FALSE(failure.knows_pieces);
  EXPECT_EQ(failure.allocated, 950 * kMegabyte);
  EXPECT_EQ(failure.cause, Cause::kFull);
  EXPECT_EQ(failure.free, 50 * kMegabyte);
}

}  // namespace
}  // namespace tfprof::accounting
