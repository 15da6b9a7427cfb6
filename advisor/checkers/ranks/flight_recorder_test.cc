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
  void Records(bool both) {
    profile::CollectiveRecords records;
    records.texts = {"0", "all_reduce", "[[4]]", "[[5]]", "train.py:4:f"};
    records.dumps = {{.rank = 0}, {.rank = 1}};
    for (const uint32_t dump : {0U, 1U}) {
      for (const int64_t sequence : {1, 2}) {
        if (dump == 1 && sequence == 2 && !both) continue;
        records.calls.push_back({.dump = dump,
                                 .group = 0,
                                 .sequence = sequence,
                                 .operation = 1,
                                 .sizes = dump == 1 && sequence == 2 ? 3U : 2U,
                                 .line = 4});
      }
    }
    model_.builder().SetCollectiveRecords(std::move(records));
  }
};

TEST_F(FlightRecorderTest, ARankThatDoesNotCall) {
  Records(/*both=*/false);
  EXPECT_THAT(CheckTrace("FlightRecorderChecker"),
              ElementsAre("Rank 1 did not call collective 2 of group 0; "
                          "called: all_reduce on rank 0; at train.py:4:f"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
  EXPECT_THAT(findings_[0].advice, HasSubstr("rank 1"));
}

TEST_F(FlightRecorderTest, RanksWithDifferentSizes) {
  Records(/*both=*/true);
  EXPECT_THAT(
      CheckTrace("FlightRecorderChecker"),
      ElementsAre("The inputs of collective 2 of group 0 differ: [[4]] on rank "
                  "0, [[5]] on rank 1; at train.py:4:f"));
}

TEST_F(FlightRecorderTest, WithoutDumps) {
  EXPECT_THAT(CheckTrace("FlightRecorderChecker"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
