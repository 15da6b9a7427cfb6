#include "timeline/ranks/hang_causes.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::timeline {
namespace {

using profile::CollectiveRecords;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HangCausesTest : public ::testing::Test {
 protected:
  CollectiveRecords::Text Text(std::string_view text) {
    for (size_t i = 0; i < records_.texts.size(); ++i) {
      if (records_.texts[i] == text) return static_cast<uint32_t>(i);
    }
    records_.texts.emplace_back(text);
    return static_cast<uint32_t>(records_.texts.size() - 1);
  }
  void Group(std::string_view name, std::vector<int64_t> ranks) {
    records_.groups.push_back({Text(name), profile::kNone, std::move(ranks)});
  }
  void Dump(int64_t rank) { records_.dumps.push_back({.rank = rank}); }
  // A call of the last dump, at the next microsecond.
  CollectiveRecords::Call& Call(std::string_view group, int64_t sequence,
                                std::string_view state = "completed") {
    return records_.calls.emplace_back(CollectiveRecords::Call{
        .dump = static_cast<uint32_t>(records_.dumps.size() - 1),
        .group = Text(group),
        .sequence = sequence,
        .operation = Text("nccl:all_reduce"),
        .state = Text(state),
        .line = Text("train.py:" + std::to_string(sequence) + ":f"),
        .created = 1000 * static_cast<int64_t>(records_.calls.size())});
  }
  // The causes, as the groups and ranks of each.
  std::vector<std::string> Causes() {
    std::vector<std::string> texts;
    all_ = FindDivergences(records_);
    causes_ = FindHangCauses(all_);
    for (const HangCause& cause : causes_) {
      std::string& text = texts.emplace_back();
      for (const size_t d : cause.divergences) {
        text += all_.groups[all_.first[d].group].name + ' ';
      }
      text += "ranks " + RankList(cause.ranks);
    }
    return texts;
  }
  std::string TextOf(size_t cause) {
    return HangText(records_, all_, causes_[cause]);
  }

  CollectiveRecords records_;
  Divergences all_;
  std::vector<HangCause> causes_;
};

// Ranks 0 and 1 are a group, and so are 0 and 2, 1 and 3. Rank 1 stops: 0 waits
// for it, and 2 waits for 0.
TEST_F(HangCausesTest, ARankThatWaitsIsNoCause) {
  Group("dp0", {0, 2});
  Group("dp1", {1, 3});
  Group("tp", {0, 1});
  Dump(0);
  Call("tp", 1);
  Call("tp", 2, "started");
  Dump(1);
  Call("tp", 1);
  Dump(2);
  Call("dp0", 1, "started");
  Dump(3);
  Call("dp1", 1, "started");
  EXPECT_THAT(Causes(), ElementsAre("tp ranks 1"));
  EXPECT_THAT(causes_[0].consequences, SizeIs(2));
  EXPECT_EQ(TextOf(0),
            "rank 1 did not call collective 2 of group tp; called: "
            "nccl:all_reduce on rank 0 at train.py:2:f. The last call of rank "
            "1 was 1 of group tp, nccl:all_reduce at train.py:1:f, 1us after "
            "the others called. Because of it, groups dp0, dp1 wait, too");
}

// A call that completed is no reason to wait.
TEST_F(HangCausesTest, ARankThatCompletedItsCallsIsACause) {
  Group("a", {0, 1});
  Group("b", {1, 2});
  Dump(0);
  Call("a", 1, "started");
  Dump(1);
  Call("b", 1, "completed");
  Dump(2);
  EXPECT_THAT(Causes(), ElementsAre("a ranks 1", "b ranks 2"));
}

TEST_F(HangCausesTest, RanksThatWaitForEachOther) {
  Group("tp", {0, 1});
  Group("dp", {0, 1});
  Group("all", {0, 2});
  Dump(0);
  Call("tp", 1, "started");
  Dump(1);
  Call("dp", 1, "started");
  Dump(2);
  Call("all", 1, "started");
  EXPECT_THAT(Causes(), ElementsAre("tp dp ranks 0, 1"));
  EXPECT_THAT(causes_[0].consequences, ElementsAre(0));
  EXPECT_THAT(TextOf(0), HasSubstr("ranks 0, 1 wait for each other"));
}

// Some ranks wait, and one of them is missing in both groups.
TEST_F(HangCausesTest, OneRankIsOneCause) {
  Group("all", {0, 1, 2, 3});
  Group("odd", {1, 3});
  Dump(0);
  Call("all", 1, "started");
  Dump(1);
  Call("odd", 1, "started");
  Dump(2);
  Call("all", 1, "started");
  Dump(3);
  EXPECT_THAT(Causes(), ElementsAre("odd ranks 3"));
  EXPECT_THAT(causes_[0].consequences, SizeIs(1));
}

TEST_F(HangCausesTest, CallsThatDifferAreACause) {
  Group("a", {0, 1});
  Group("b", {1, 2});
  Dump(0);
  Call("a", 1, "started");
  Dump(1);
  Call("a", 1, "started").operation = Text("nccl:broadcast");
  Dump(2);
  Call("b", 1, "started");
  EXPECT_THAT(Causes(), ElementsAre("a ranks "));
  EXPECT_EQ(TextOf(0),
            "collective 1 of group a differs: nccl:all_reduce on rank 0 at "
            "train.py:1:f, nccl:broadcast on rank 1 at train.py:1:f. Because "
            "of it, group b waits, too");
}

// The GPU of rank 1 cannot begin a call while the one before does not end.
TEST_F(HangCausesTest, AGpuWaitsForItsEarlierCalls) {
  Group("a", {0, 1});
  Group("b", {1, 2});
  Dump(0);
  Call("a", 1, "started");
  Dump(1);
  Call("b", 1, "started");
  Call("a", 1, "scheduled");
  Dump(2);
  EXPECT_THAT(Causes(), ElementsAre("b ranks 2"));
  EXPECT_THAT(causes_[0].consequences, ElementsAre(0));
}

TEST_F(HangCausesTest, AGpuThatDoesNotBegin) {
  Group("a", {0, 1});
  Dump(0);
  Call("a", 1, "started");
  Dump(1);
  Call("a", 1, "scheduled");
  EXPECT_THAT(Causes(), ElementsAre("a ranks 1"));
  EXPECT_EQ(TextOf(0),
            "all ranks called collective 1 of group a, but the GPU of rank 1 "
            "did not begin it: nccl:all_reduce scheduled on rank 1 at "
            "train.py:1:f, nccl:all_reduce started on rank 0 at train.py:1:f");
}

TEST_F(HangCausesTest, NothingHangs) {
  Dump(0);
  Call("a", 1);
  EXPECT_THAT(Causes(), IsEmpty());
}

TEST(RankListTest, ShortensRanksInARow) {
  EXPECT_EQ(RankList({}), "");
  EXPECT_EQ(RankList({1, 2}), "1, 2");
  EXPECT_EQ(RankList({0, 1, 2, 5, 7, 8, 9}), "0-2, 5, 7-9");
  EXPECT_EQ(RankList({0, 2, 4, 6, 8, 10, 12, 14, 16, 18}),
            "0, 2, 4, 6, 8, 10, 12, 14 and 2 more");
}

}  // namespace
}  // namespace tfprof::timeline
