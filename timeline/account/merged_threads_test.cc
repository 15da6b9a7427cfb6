#include "timeline/account/merged_threads.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::timeline {
namespace {

constexpr int64_t kEnd = 100;  // of all pieces

// Pieces that do not overlap, and waits, which do not either.
HostThread RandomThread(int64_t number, std::mt19937& random) {
  HostThread thread;
  thread.thread = number;
  for (int64_t now = 0; now < kEnd;) {
    now += std::uniform_int_distribution<int64_t>(0, 20)(random);
    const int64_t end =
        now + std::uniform_int_distribution<int64_t>(1, 30)(random);
    HostPiece piece;
    piece.start = now;
    piece.end = std::min(end, kEnd);
    if (piece.length() <= 0) break;
    if (random() % 2 == 0) {
      piece.call = HostCall::kWait;
      thread.waits.push_back({.time = {piece.start, piece.end}});
    }
    piece.range = random() % 3 == 0;
    thread.pieces.push_back(piece);
    now = end;
  }
  return thread;
}

bool IsWait(const HostPiece& piece) { return piece.call == HostCall::kWait; }

// The piece that counts at a moment, found with a look at each thread.
const HostPiece* PieceAt(const std::vector<HostThread>& threads, int64_t time) {
  for (const int order : {0, 1, 2}) {  // work, ranges, waits
    for (const HostThread& thread : threads) {
      for (const HostPiece& piece : thread.pieces) {
        const int of_piece = IsWait(piece) ? 2 : piece.range ? 1 : 0;
        if (of_piece == order && piece.start <= time && time < piece.end) {
          return &piece;
        }
      }
    }
  }
  return nullptr;
}

const HostWait* WaitThatEnds(const std::vector<HostThread>& threads,
                             int64_t time, int64_t limit) {
  for (const HostThread& thread : threads) {
    const HostWait* wait = MergedThreads::WaitAt(thread, time);
    if (wait != nullptr && wait->time.end < limit) return wait;
  }
  return nullptr;
}

TEST(MergedThreadsTest, RandomThreads) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<HostThread> threads;
    const int64_t count = 2 + static_cast<int64_t>(random() % 5);
    for (int64_t t = 0; t < count; ++t) {
      threads.push_back(RandomThread(10 * t, random));
    }
    const Intervals wanted = {{0, kEnd}};
    const MergedThreads merged(threads, wanted, IsWait, /*of_host=*/true);
    auto segment = merged.segments().begin();
    for (int64_t time = 0; time < kEnd; ++time) {
      while (segment != merged.segments().end() && segment->end <= time) {
        const auto last = segment++;
        if (segment == merged.segments().end()) break;
        EXPECT_LE(last->end, segment->start);
        // A part of a piece that goes on is one segment.
        EXPECT_FALSE(last->end == segment->start &&
                     last->piece == segment->piece);
      }
      const bool inside =
          segment != merged.segments().end() && segment->start <= time;
      ASSERT_EQ(inside ? segment->piece : nullptr, PieceAt(threads, time))
          << round << ", at " << time;
      if (inside) {
        EXPECT_EQ(segment->waits, IsWait(*segment->piece));
      }
      const int64_t limit = time + static_cast<int64_t>(random() % 30);
      ASSERT_EQ(merged.WaitThatEnds(time, limit),
                WaitThatEnds(threads, time, limit))
          << round << ", at " << time << " before " << limit;
    }
    EXPECT_EQ(merged.Find(10), &threads[1]);
    EXPECT_EQ(merged.Find(11), nullptr);
  }
}

TEST(MergedThreadsTest, OneThreadNeedsNoSegments) {
  std::mt19937 random(1);
  const std::vector<HostThread> threads = {RandomThread(7, random)};
  const Intervals wanted = {{0, kEnd}};
  const MergedThreads merged(threads, wanted, IsWait, /*of_host=*/true);
  EXPECT_TRUE(merged.segments().empty());
  EXPECT_EQ(merged.Find(7), threads.data());
}

}  // namespace
}  // namespace tfprof::timeline
