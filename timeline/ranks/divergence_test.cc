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
  std::string OnlyProblem() const {
    const Divergences found = Find();
    EXPECT_EQ(found.first.size(), 1);
    return found.first.empty()
               ? ""
               : std::string(ProblemName(found.first[0].problem));
  }

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
  EXPECT_THAT(
      CallersBy(records_, found.first[0], &CollectiveRecords::Call::line),
      ElementsAre(Pair("train.py:4:f", ElementsAre(0, 2))));
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
  EXPECT_EQ(ProblemName(found.first[0].problem), "different operations");
  EXPECT_THAT(
      CallersBy(records_, found.first[0], &CollectiveRecords::Call::operation),
      ElementsAre(Pair("all_reduce", ElementsAre(0)),
                  Pair("broadcast", ElementsAre(1))));
}

TEST_F(DivergenceTest, InputsOfDifferentSizes) {
  Dump(0);
  Call("0", 1, "all_reduce", "[[4]]");
  Dump(1);
  Call("0", 1, "all_reduce", "[[5]]");
  EXPECT_EQ(OnlyProblem(), "different sizes");
}

TEST_F(DivergenceTest, ListsMayHaveDifferentSizes) {
  for (const int64_t rank : {0, 1}) {
    Dump(rank);
    int64_t number = 0;
    for (const std::string_view operation :
         {"nccl:all_to_all", "nccl:alltoall_base", "nccl:gather",
          "nccl:scatter", "nccl:all_gather", "nccl:reduce_scatter"}) {
      Call("0", ++number, operation, rank == 0 ? "[[4]]" : "[[5]]");
    }
    // What follows is compared.
    Call("0", 9, "nccl:_all_gather_base", rank == 0 ? "[[4]]" : "[[5]]");
  }
  EXPECT_EQ(OnlyProblem(), "different sizes");
  EXPECT_EQ(Find().first[0].sequence, 9);
}

TEST_F(DivergenceTest, InputsOfDifferentTypes) {
  for (const int64_t rank : {0, 1, 2}) {
    Dump(rank);
    CollectiveRecords::Call& scatter = Call("0", 1, "nccl:scatter");
    if (rank == 0) scatter.types = Text("[Float]");  // others have no input
    Call("0", 2).types = Text(rank == 1 ? "[Half]" : "[Float]");
  }
  EXPECT_EQ(OnlyProblem(), "different types");
  EXPECT_EQ(Find().first[0].sequence, 2);
}

// Several calls with one number are one collective of several parts.
TEST_F(DivergenceTest, CoalescedCallsAreComparedOneByOne) {
  const auto call = [&](int64_t rank, std::string_view second) {
    Dump(rank, /*overwritten=*/rank == 2 ? 7 : 0);
    if (rank != 2) Call("0", 1, "gather_base", "[[9]]");
    Call("0", 1, "gather_base", second);
    Call("0", 1, "coalesced", "[]");
  };
  call(0, "[[4]]");
  call(1, "[[4]]");
  call(2, "[[4]]");  // its ring buffer lost the first part
  EXPECT_THAT(Find().first, IsEmpty());
  EXPECT_EQ(Find().compared, 1);
  call(3, "[[5]]");
  EXPECT_EQ(OnlyProblem(), "different sizes");
  records_.calls.resize(records_.calls.size() - 3);
  Call("0", 1, "coalesced", "[]");
  EXPECT_EQ(OnlyProblem(), "different operations");
  EXPECT_THAT(Find().first[0].missing, ElementsAre(3));
}

// The others wait for a rank that could not even write a dump.
TEST_F(DivergenceTest, AllWaitForARankWithoutADump) {
  records_.groups = {{Text("0"), profile::kNone, {0, 1, 2}}};
  for (const int64_t rank : {0, 1}) {
    Dump(rank);
    Call("0", 1).state = Text("completed");
    Call("0", 2).state = Text("started");
  }
  EXPECT_EQ(OnlyProblem(), "no dump");
  EXPECT_THAT(Find().first[0].missing, ElementsAre(2));
  EXPECT_EQ(Find().first[0].sequence, 2);
}

// Gloo leaves all calls "scheduled", but says how far a group came.
// What a rank called after the end of its dump is unknown, what is in it
// counts.
TEST_F(DivergenceTest, AllWaitForARankWithADamagedDump) {
  for (const int64_t rank : {0, 1, 2}) {
    Dump(rank);
    records_.dumps.back().damaged = rank == 1;
    Call("0", 1, "nccl:all_reduce").state = Text("completed");
    if (rank == 1) continue;
    Call("0", 2, "nccl:all_reduce").state = Text("scheduled");
  }
  const Divergences found = Find();
  ASSERT_EQ(found.first.size(), 1);
  EXPECT_EQ(found.first[0].problem, Divergence::Problem::kNoDump);
  EXPECT_EQ(found.first[0].sequence, 2);
  EXPECT_EQ(found.first[0].missing, std::vector<int64_t>{1});
  EXPECT_EQ(AbsentRanks(records_, found), std::set<int64_t>{1});
  EXPECT_EQ(found.compared, 2);
}

TEST_F(DivergenceTest, ProgressTellsThatAllWaitForARankWithoutADump) {
  records_.groups = {{Text("0"), profile::kNone, {0, 1, 2}}};
  for (const int64_t rank : {0, 1}) {
    Dump(rank);
    for (const int64_t number : {1, 2}) {
      Call("0", number).state = Text("scheduled");
    }
    records_.progress.push_back({records_.calls.back().dump, Text("0"), 2, 1});
  }
  EXPECT_EQ(OnlyProblem(), "no dump");
  EXPECT_EQ(Find().first[0].sequence, 2);
  for (CollectiveRecords::Progress& row : records_.progress) row.completed = 2;
  EXPECT_THAT(Find().first, IsEmpty());
}

TEST_F(DivergenceTest, CallsThatDoNotEnd) {
  const auto set = [&](std::string_view first, std::string_view second) {
    records_ = {};
    for (const int64_t rank : {0, 1}) {
      Dump(rank);
      Call("0", 1, "nccl:all_reduce").state = Text("completed");
      Call("0", 2, "nccl:all_reduce").state = Text(rank == 0 ? first : second);
    }
  };
  set("started", "started");
  EXPECT_EQ(OnlyProblem(), "not completed");
  EXPECT_THAT(Find().first[0].missing, IsEmpty());
  set("started", "scheduled");
  EXPECT_EQ(OnlyProblem(), "not started");
  EXPECT_THAT(Find().first[0].missing, ElementsAre(1));
  set("scheduled", "scheduled");  // the starts are not recorded
  EXPECT_EQ(OnlyProblem(), "not completed");
  set("completed", "started");
  EXPECT_THAT(Find().first, IsEmpty());
}

TEST_F(DivergenceTest, StatesOfGlooAreNoEvidence) {
  for (const int64_t rank : {0, 1}) {
    Dump(rank);
    Call("0", 1, "gloo:all_reduce").state = Text("scheduled");
  }
  EXPECT_THAT(Find().first, IsEmpty());
}

TEST_F(DivergenceTest, ASendWithoutItsReceive) {
  // The names have ranks of the group.
  records_.groups = {{Text("pp"), profile::kNone, {4, 6}}};
  const auto call = [&](std::string_view operation, std::string_view state) {
    CollectiveRecords::Call& made = Call("pp", 1, operation);
    made.point_to_point = true;
    made.state = Text(state);
  };
  Dump(4);
  call("nccl:send 0->1", "completed");
  call("nccl:send 0->1", "started");
  Dump(6);
  call("nccl:recv 1<-0", "completed");
  EXPECT_EQ(OnlyProblem(), "no partner");
  EXPECT_THAT(Find().first[0].missing, ElementsAre(6));
  EXPECT_EQ(Find().first[0].callers[0].rank, 4);
  call("nccl:recv 1<-0", "started");
  EXPECT_THAT(Find().first, IsEmpty());
  // Without the first calls, only those that wait are counted.
  records_.dumps[1].overwritten = 5;
  records_.calls.erase(records_.calls.begin() + 2);
  EXPECT_THAT(Find().first, IsEmpty());
  records_.calls.pop_back();
  EXPECT_EQ(OnlyProblem(), "no partner");
}

TEST_F(DivergenceTest, NothingIsComparedWithOneRank) {
  Dump(0);
  Call("0", 1);
  EXPECT_EQ(Find().compared, 0);
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
  EXPECT_EQ(found.late[1].least, 0);
  EXPECT_EQ(found.late[1].collectives, 2);
}

}  // namespace
}  // namespace tfprof::timeline
