#include "inspect/devices/collectives.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CollectivesTest, TablesOfAJobThatHangs) {
  timeline::TraceModel model(/*ticks_per_micro=*/1);
  profile::CollectiveRecords records;
  records.texts = {"0", "all_reduce", "[[4]]", "train.py:4:f", "send", "done"};
  records.dumps = {{.path = "t_1", .rank = 1, .entries = 2},
                   {.path = "t_0", .rank = 0, .entries = 1}};
  records.groups = {{0, profile::kNone, {0, 1, 2}}};
  for (const auto& [dump, sequence] :
       {std::pair(0U, 1), std::pair(0U, 2), std::pair(1U, 1)}) {
    records.calls.push_back({.dump = dump,
                             .group = 0,
                             .sequence = sequence,
                             .operation = 1,
                             .sizes = 2,
                             .line = 3,
                             .created = 1000 * (1 + dump)});
  }
  records.calls.push_back({.dump = 1,
                           .group = 0,
                           .operation = 4,
                           .state = 5,
                           .point_to_point = true});
  records.progress = {{0, 0, 2, 1}, {1, 0, 1, 1}};
  model.builder().SetCollectiveRecords(std::move(records));
  const profile::Profile profile = std::move(model).Build();
  const tables::DataDocument document = CollectivesDocument(profile);
  EXPECT_EQ(Fact(document.facts, "dumps"), "2");
  EXPECT_EQ(Fact(document.facts, "absent_ranks"), "1");
  EXPECT_EQ(Fact(document.facts, "divergent_groups"), "1");
  ASSERT_EQ(document.parts.size(), 5);
  EXPECT_THAT(Rows(document.parts[0].table,
                   {"group", "sequence", "problem", "missing_ranks", "lines"}),
              ElementsAre("0 2 missing ranks 0 train.py:4:f on 1"));
  // Ranks in ascending order, then those without a dump.
  EXPECT_THAT(Rows(document.parts[1].table,
                   {"rank", "entries", "last", "mean_late_micros", "file"}),
              ElementsAre("0 1 1 1.000 t_0", "1 2 0 0.000 t_1", "2 - - - -"));
  const tables::DataTable late = LatenessTable(profile);
  EXPECT_EQ(late.kind, "lateness");
  EXPECT_THAT(Rows(late, {"rank", "last"}), ElementsAre("0 1", "1 0", "2 -"));
  EXPECT_THAT(Rows(document.parts[2].table,
                   {"rank", "completed", "enqueued", "operation", "line"}),
              ElementsAre("1 1 2 all_reduce train.py:4:f"));
  EXPECT_THAT(Rows(document.parts[3].table,
                   {"group", "members", "collectives", "absent_ranks"}),
              ElementsAre("0 3 2 2"));
  EXPECT_THAT(
      Rows(document.parts[4].table, {"rank", "operation", "state", "count"}),
      ElementsAre("0 send done 1"));
}

// Rank 1 waits in "a" for rank 2, so that rank 0 waits in "b".
TEST(CollectivesTest, NamesTheCauseOfAConsequence) {
  timeline::TraceModel model(/*ticks_per_micro=*/1);
  profile::CollectiveRecords records;
  records.texts = {"a", "b", "all_reduce", "started"};
  records.dumps = {{.rank = 0}, {.rank = 1}, {.rank = 2}};
  records.groups = {{0, profile::kNone, {1, 2}}, {1, profile::kNone, {0, 1}}};
  for (const auto& [dump, group] : {std::pair(0U, 1U), std::pair(1U, 0U)}) {
    records.calls.push_back({.dump = dump,
                             .group = group,
                             .sequence = 6,
                             .operation = 2,
                             .state = 3});
  }
  model.builder().SetCollectiveRecords(std::move(records));
  const profile::Profile profile = std::move(model).Build();
  EXPECT_THAT(Rows(CollectivesDocument(profile).parts[0].table,
                   {"group", "missing_ranks", "waiting_ranks", "because_of"}),
              ElementsAre("a 2 1 -", "b 1 0 a #6"));
}

TEST(CollectivesTest, NothingWithoutDumps) {
  timeline::TraceModel model(/*ticks_per_micro=*/1);
  const profile::Profile profile = std::move(model).Build();
  const tables::DataDocument document = CollectivesDocument(profile);
  EXPECT_THAT(document.facts, IsEmpty());
  for (const auto& part : document.parts) EXPECT_EQ(part.table.num_rows, 0);
}

}  // namespace
}  // namespace tfprof::inspect
