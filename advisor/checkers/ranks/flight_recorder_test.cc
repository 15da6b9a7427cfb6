#include <utility>

#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FlightRecorderTest : public CallsCheckTest {
 protected:
  // Two ranks that call number 1; rank 0 calls number 2, too, or both do, with
  // different sizes.
  void Records(bool both, uint32_t line = 4) {
    profile::CollectiveRecords records;
    records.texts = {"0",     "all_reduce",   "[[4]]",
                     "[[5]]", "train.py:4:f", "train.py:9:g"};
    records.dumps = {{.rank = 0}, {.rank = 1}};
    for (const uint32_t dump : {0U, 1U}) {
      for (const int64_t sequence : {1, 2}) {
        if (dump == 1 && sequence == 2 && !both) continue;
        records.calls.push_back(
            {.dump = dump,
             .group = 0,
             .sequence = sequence,
             .operation = 1,
             .sizes = dump == 1 && sequence == 2 ? 3U : 2U,
             .line = dump == 1 && sequence == 2 ? line : 4});
      }
    }
    model_.builder().SetCollectiveRecords(std::move(records));
  }
};

TEST_F(FlightRecorderTest, ARankThatDoesNotCall) {
  Records(/*both=*/false);
  EXPECT_THAT(CheckTrace("FlightRecorderChecker"),
              ElementsAre("Rank 1 did not call collective 2 of group 0; "
                          "called: all_reduce on rank 0 at train.py:4:f. The "
                          "last call of rank 1 was 1 of group 0, all_reduce at "
                          "train.py:4:f"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
  EXPECT_THAT(findings_[0].advice, HasSubstr("rank 1"));
}

TEST_F(FlightRecorderTest, RanksWithDifferentSizes) {
  Records(/*both=*/true);
  EXPECT_THAT(
      CheckTrace("FlightRecorderChecker"),
      ElementsAre("The inputs of collective 2 of group 0 differ: all_reduce "
                  "[[4]] on rank 0 at train.py:4:f, all_reduce [[5]] on rank 1 "
                  "at train.py:4:f"));
  EXPECT_THAT(findings_[0].advice, HasSubstr("pad"));
}

// A rank with a call more than the others.
TEST_F(FlightRecorderTest, DifferentSizesAtDifferentLines) {
  Records(/*both=*/true, /*line=*/5);
  EXPECT_THAT(CheckTrace("FlightRecorderChecker"),
              ElementsAre(HasSubstr("[[5]] on rank 1 at train.py:9:g")));
  EXPECT_THAT(findings_[0].advice, HasSubstr("a call more or less"));
}

TEST_F(FlightRecorderTest, ARankThatComesLate) {
  const auto set = [&](int64_t every, int64_t late) {
    profile::CollectiveRecords records;
    records.texts = {"0", "all_reduce"};
    records.dumps = {{.rank = 0}, {.rank = 7}};
    for (const uint32_t dump : {0U, 1U}) {
      for (int64_t i = 0; i < 20; ++i) {
        const int64_t after = dump == 0 || i % every == 0 ? 0 : late;
        records.calls.push_back({.dump = dump,
                                 .group = 0,
                                 .sequence = i,
                                 .operation = 1,
                                 .created = i * 100'000'000 + after});
      }
    }
    model_.builder().SetCollectiveRecords(std::move(records));
  };
  set(5, 8'000'000);
  EXPECT_THAT(CheckTrace("FlightRecorderChecker"),
              ElementsAre("Rank 7 came last to 16 of 20 collectives, 6.40ms "
                          "later than the first rank on average; all together "
                          "6.7% of the recorded time"));
}

// The clocks of two hosts may differ by the same time for all calls.
TEST_F(FlightRecorderTest, AClockThatDiffersIsNotLate) {
  profile::CollectiveRecords records;
  records.texts = {"0", "all_reduce"};
  records.dumps = {{.rank = 0}, {.rank = 1}};
  for (const uint32_t dump : {0U, 1U}) {
    for (int64_t i = 0; i < 20; ++i) {
      records.calls.push_back({.dump = dump,
                               .group = 0,
                               .sequence = i,
                               .operation = 1,
                               .created = i * 1'000'000 + dump * 900'000});
    }
  }
  model_.builder().SetCollectiveRecords(std::move(records));
  EXPECT_THAT(CheckTrace("FlightRecorderChecker"), IsEmpty());
}

TEST_F(FlightRecorderTest, OneDumpComparesNothing) {
  profile::CollectiveRecords records;
  records.texts = {"0", "all_reduce"};
  records.dumps = {{.rank = -1}, {.rank = -1}};
  for (const uint32_t dump : {0U, 1U}) {
    records.calls.push_back({.dump = dump, .group = 0, .operation = 1});
  }
  model_.builder().SetCollectiveRecords(std::move(records));
  EXPECT_THAT(CheckTrace("FlightRecorderChecker"),
              ElementsAre(HasSubstr("Nothing was compared")));
}

TEST_F(FlightRecorderTest, WithoutDumps) {
  EXPECT_THAT(CheckTrace("FlightRecorderChecker"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
