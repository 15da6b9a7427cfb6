#include "compare/memory_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "profile/profile_builder.h"

namespace tfprof::compare {
namespace {

using profile::AllocatorBlock;
using profile::AllocatorEvent;
using profile::AllocatorHistory;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = AllocatorEvent::Kind;
using Owner = MemoryComparison::Owner;

// A snapshot of allocators that never free.
class Snapshot {
 public:
  Snapshot& Device(std::string name) {
    histories_.emplace_back().name = std::move(name);
    return *this;
  }
  // An allocation by a line of train.py.
  Snapshot& Allocate(int line, std::string_view function, int64_t bytes) {
    profile::GraphTables& graph = builder_.mutable_graph();
    profile::Frame frame;
    frame.file = graph.strings.Intern("train.py");
    frame.function = graph.strings.Intern(function);
    frame.lineno = line;
    const profile::StackId stack = graph.stacks.Push(profile::kNoStack, frame);
    AllocatorHistory& history = histories_.back();
    history.events.push_back(
        {.bytes = bytes, .stack = stack, .kind = Kind::kAllocate});
    history.segments.push_back(
        {.bytes = bytes + 12,
         .first_block = static_cast<uint32_t>(history.blocks.size()),
         .num_blocks = 2});
    history.blocks.push_back({.bytes = bytes + 2,
                              .requested = bytes,
                              .stack = stack,
                              .state = AllocatorBlock::State::kAllocated,
                              .seen = true});
    history.blocks.push_back({.bytes = 10});
    return *this;
  }
  profile::Profile Build() {
    builder_.SetAllocators(std::move(histories_));
    return std::move(builder_).Build();
  }

 private:
  profile::ProfileBuilder builder_;
  profile::Allocators histories_;
};

std::vector<std::string> Texts(const std::vector<Owner>& owners) {
  std::vector<std::string> texts;
  for (const Owner& owner : owners) {
    texts.push_back(owner.name + " " +
                    (owner.before ? std::to_string(*owner.before) : "-") + " " +
                    (owner.after ? std::to_string(*owner.after) : "-"));
  }
  return texts;
}

TEST(MemoryComparisonTest, TheLineThatHoldsMoreIsTheReason) {
  const profile::Profile before = Snapshot()
                                      .Device("gpu:0")
                                      .Allocate(7, "forward", 1000)
                                      .Allocate(9, "loss", 500)
                                      .Allocate(11, "old", 20)
                                      .Build();
  // Lines moved by three, and one line became two.
  const profile::Profile after = Snapshot()
                                     .Device("gpu:0")
                                     .Allocate(10, "forward", 1300)
                                     .Allocate(9, "loss", 500)
                                     .Allocate(30, "cache", 100)
                                     .Allocate(31, "cache", 50)
                                     .Build();
  ASSERT_TRUE(AreSnapshots(before, after));
  const MemoryComparison comparison = CompareMemory(before, after);
  EXPECT_EQ(comparison.verdict, MemoryComparison::Verdict::kMore);
  EXPECT_THAT(comparison.text,
              HasSubstr("more: peak of the allocated memory of gpu:0"));
  EXPECT_THAT(comparison.text, HasSubstr("(+28.3%)"));
  EXPECT_THAT(comparison.because,
              testing::StartsWith("train.py:10:forward +300"));
  EXPECT_THAT(
      Texts(comparison.owners),
      ElementsAre("train.py:10:forward 1000 1300", "train.py:30:cache - 100",
                  "train.py:31:cache - 50", "train.py:11:old 20 -"));
  EXPECT_EQ(comparison.owners_as_before, 1);
  // The changes of the lines are the change of the peak.
  int64_t sum = 0;
  for (const Owner& owner : comparison.owners) sum += owner.delta();
  EXPECT_EQ(comparison.figures[0].id, "peak_allocated");
  EXPECT_EQ(comparison.figures[0].delta(), sum);
  EXPECT_EQ(sum, 430);
}

TEST(MemoryComparisonTest, ASnapshotIsTheSameAsItself) {
  const profile::Profile profile =
      Snapshot().Device("gpu:0").Allocate(7, "forward", 1000).Build();
  const MemoryComparison comparison = CompareMemory(profile, profile);
  EXPECT_EQ(comparison.verdict, MemoryComparison::Verdict::kSame);
  EXPECT_EQ(comparison.because, "");
  EXPECT_TRUE(comparison.owners.empty());
  for (const MemoryComparison::Figure& figure : comparison.figures) {
    EXPECT_EQ(figure.delta(), 0) << figure.id;
  }
}

TEST(MemoryComparisonTest, TheDeviceThatChangedMostDecides) {
  const profile::Profile before = Snapshot()
                                      .Device("gpu:0")
                                      .Allocate(7, "forward", 1000)
                                      .Device("gpu:1")
                                      .Allocate(7, "forward", 1000)
                                      .Device("gpu:2")
                                      .Allocate(7, "forward", 1)
                                      .Build();
  const profile::Profile after = Snapshot()
                                     .Device("gpu:0")
                                     .Allocate(7, "forward", 1100)
                                     .Device("gpu:1")
                                     .Allocate(7, "forward", 400)
                                     .Build();
  const MemoryComparison comparison = CompareMemory(before, after);
  EXPECT_EQ(comparison.verdict, MemoryComparison::Verdict::kLess);
  EXPECT_THAT(comparison.text, HasSubstr("of gpu:1"));
  EXPECT_THAT(comparison.text, HasSubstr("gpu:2 is in one snapshot only"));
  EXPECT_THAT(comparison.because, HasSubstr(" -600B"));
  EXPECT_THAT(comparison.because, testing::Not(HasSubstr("+")))
      << "lines that hold more are no reason for less";
}

TEST(MemoryComparisonTest, DifferentDevicesHaveNoVerdict) {
  const MemoryComparison comparison =
      CompareMemory(Snapshot().Device("gpu:0").Allocate(7, "f", 10).Build(),
                    Snapshot().Device("gpu:1").Allocate(7, "f", 10).Build());
  EXPECT_EQ(comparison.verdict, MemoryComparison::Verdict::kUnknown);
  EXPECT_EQ(comparison.text, "unknown: no allocator is in both snapshots");
  EXPECT_FALSE(AreSnapshots(profile::Profile(), profile::Profile()));
}

TEST(MemoryComparisonTest, TheDocumentSaysHowManyLinesItLeavesOut) {
  const profile::Profile before =
      Snapshot().Device("gpu:0").Allocate(1, "a", 10).Build();
  const profile::Profile after = Snapshot()
                                     .Device("gpu:0")
                                     .Allocate(1, "a", 20)
                                     .Allocate(2, "b", 30)
                                     .Allocate(3, "c", 40)
                                     .Build();
  const tables::DataDocument document = MemoryComparisonDocument(
      CompareMemory(before, after), "old", "new", 2, "diff -output json");
  ASSERT_EQ(document.parts.size(), 2u);
  const tables::DataTable& owners = document.parts[1].table;
  EXPECT_EQ(owners.num_rows, 2u);
  EXPECT_EQ(owners.total_rows, 3u);
  EXPECT_EQ(owners.rest, "diff -output json");
}

}  // namespace
}  // namespace tfprof::compare
