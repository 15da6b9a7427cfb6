#include "timeline/ranks/divergence.h"

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
using ::testing::IsEmpty;
using ::testing::Pair;

class DivergenceTest : public ::testing::Test {
 protected:
  CollectiveRecords::Text Text(std::string_view text) {
    for (size_t i = 0; i < records_.texts.size(); ++i) {
      if (records_.texts[i] == text) return static_cast<uint32_t>(i);
    }
    records_.texts.emplace_back(text);
    return static_cast<uint32_t>(records_.texts.size() - 1);
  }
  void Dump(int64_t rank, int64_t overwritten = 0) {
    records_.dumps.push_back({.rank = rank, .overwritten = overwritten});
  }
  // A call of the last dump.
  CollectiveRecords::Call& Call(std::string_view group, int64_t sequence,
                                std::string_view operation = "all_reduce",
                                std::string_view sizes = "[[4]]") {
    return records_.calls.emplace_back(CollectiveRecords::Call{
        .dump = static_cast<uint32_t>(records_.dumps.size() - 1),
        .group = Text(group),
        .sequence = sequence,
        .operation = Text(operation),
        .sizes = Text(sizes)});
  }
  Divergences Find() const { return FindDivergences(records_); }

  CollectiveRecords records_;
};

TEST_F(DivergenceTest, TheFirstCollectiveThatARankDidNotCall) {
  for (const int64_t rank : {0, 1, 2}) {
    Dump(rank);
    Call("0", 1);
    if (rank == 1) continue;
    Call("0", 2, "broadcast").line = Text("train.py:4:f");
    Call("0", 3);
  }
  const Divergences found = Find();
  ASSERT_EQ(found.groups.size(), 1);
  EXPECT_EQ(found.groups[0].collectives, 3);
  ASSERT_EQ(found.first.size(), 1);
  EXPECT_EQ(found.first[0].sequence, 2);
  EXPECT_EQ(ProblemName(found.first[0].problem), "missing ranks");
  EXPECT_THAT(found.first[0].missing, ElementsAre(1));
  EXPECT_THAT(found.first[0].lines, ElementsAre("train.py:4:f"));
  EXPECT_EQ(DivergenceText(found.groups[0], found.first[0]),
            "rank 1 did not call collective 2 of group 0; called: broadcast on "
            "ranks 0, 2");
}

TEST_F(DivergenceTest, RanksThatCallSomethingElse) {
  records_.groups = {{Text("0"), Text("default_pg"), {0, 1}}};
  Dump(0);
  Call("0", 1);
  Call("0", 2, "all_reduce");
  Dump(1);
  Call("0", 1);
  Call("0", 2, "broadcast");
  const Divergences found = Find();
  ASSERT_EQ(found.first.size(), 1);
  EXPECT_THAT(found.first[0].operations,
              ElementsAre(Pair("all_reduce", ElementsAre(0)),
                          Pair("broadcast", ElementsAre(1))));
  EXPECT_EQ(DivergenceText(found.groups[0], found.first[0]),
            "collective 2 of group 0 (default_pg) differs: all_reduce on rank "
            "0, broadcast on rank 1");
}

TEST_F(DivergenceTest, InputsOfDifferentSizes) {
  Dump(0);
  Call("0", 1, "all_reduce", "[[4]]");
  Dump(1);
  Call("0", 1, "all_reduce", "[[5]]");
  const Divergences found = Find();
  ASSERT_EQ(found.first.size(), 1);
  EXPECT_EQ(DivergenceText(found.groups[0], found.first[0]),
            "the inputs of collective 1 of group 0 differ: [[4]] on rank 0, "
            "[[5]] on rank 1");
}

// A rank without a dump may have called it.
TEST_F(DivergenceTest, RanksWithoutADumpAreNoEvidence) {
  records_.groups = {{Text("0"), profile::kNone, {0, 1, 2}}};
  Dump(0);
  Call("0", 1);
  Dump(2);
  Call("0", 1);
  const Divergences found = Find();
  EXPECT_THAT(found.first, IsEmpty());
  ASSERT_EQ(found.groups.size(), 1);
  EXPECT_THAT(found.groups[0].absent, ElementsAre(1));
}

TEST_F(DivergenceTest, CallsThatARingBufferLostAreNoEvidence) {
  Dump(0);
  for (int i = 1; i <= 6; ++i) Call("0", i);
  Dump(1, /*overwritten=*/3);
  for (int i = 4; i <= 5; ++i) Call("0", i);
  const Divergences found = Find();
  ASSERT_EQ(found.first.size(), 1);
  EXPECT_EQ(found.first[0].sequence, 6);
}

// Two disjoint groups may have one name.
TEST_F(DivergenceTest, GroupsOfOneNameAreKeptApart) {
  records_.groups = {{Text("tp"), profile::kNone, {0, 1}},
                     {Text("tp"), profile::kNone, {2, 3}}};
  for (const int64_t rank : {0, 1, 2, 3}) {
    Dump(rank);
    Call("tp", 1, rank < 2 ? "all_reduce" : "broadcast");
    if (rank != 3) Call("tp", 2);
  }
  const Divergences found = Find();
  ASSERT_EQ(found.groups.size(), 2);
  ASSERT_EQ(found.first.size(), 1);
  EXPECT_EQ(found.first[0].group, 1);
  EXPECT_THAT(found.first[0].missing, ElementsAre(3));
}

TEST_F(DivergenceTest, SendsAndRanksWithoutANumberAreNotCompared) {
  Dump(0);
  Call("0", 1);
  Call("0", 2).point_to_point = true;
  Dump(1);
  Call("0", 1);
  Dump(-1);
  Call("0", 1, "broadcast");
  EXPECT_THAT(Find().first, IsEmpty());
}

TEST_F(DivergenceTest, LatenessIsTheTimeAfterTheFirst) {
  const int64_t times[2][2] = {{100, 500}, {130, 400}};
  for (const int64_t rank : {0, 1}) {
    Dump(rank);
    for (int i = 0; i < 2; ++i) Call("0", i).created = times[rank][i];
  }
  Call("0", 9).created = 7;  // alone
  const Divergences found = Find();
  ASSERT_EQ(found.late.size(), 2);
  EXPECT_EQ(found.late[0].sum, 100);
  EXPECT_EQ(found.late[0].last, 1);
  EXPECT_EQ(found.late[1].sum, 30);
  EXPECT_EQ(found.late[1].longest, 30);
  EXPECT_EQ(found.late[1].collectives, 2);
}

}  // namespace
}  // namespace tfprof::timeline
