#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace collectives_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kChecker = "CollectiveChecker";

class CollectiveTest : public CallsCheckTest {
 protected:
  // A device that computes for 5 ms, then gathers 20 MB and reduces 64 MB.
  void Device(int gpu, int64_t gather, int64_t reduce, bool bytes = true) {
    Kernel("aten::mm", 0, 5000, -1, gpu);
    Collective("all-gather", gpu, 5000, gather, bytes ? 20'000'000 : -1);
    Collective("all-reduce", gpu, 5000 + gather, reduce,
               bytes ? 64'000'000 : -1);
  }
};

TEST_F(CollectiveTest, AGatherIsSlow) {
  Device(0, 4000, 1000);
  Device(1, 4500, 1000);
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre(HasSubstr(
                  "all-gather is slow: it takes 38.1% of the time of a device "
                  "(4.00ms per step, 80.0% of the communication that nothing "
                  "hides), on 2 devices; it moves 20.00MB per call at 5.0 "
                  "GB/s; all-reduce is 13 times faster per byte")));
  EXPECT_EQ(findings_[0].subject, "all-gather");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 4000);
}

TEST_F(CollectiveTest, WithoutBytesCallsAreCompared) {
  Device(0, 4000, 1000, /*bytes=*/false);
  Device(1, 4000, 1000, /*bytes=*/false);
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre(HasSubstr("all-reduce is 4 times faster per call")));
}

// 20 MB in 400 us are 50 GB/s, and 64 MB in 1 ms are 64 GB/s.
TEST_F(CollectiveTest, CollectivesOfOneSpeedAreFine) {
  Device(0, 400, 1000);
  Device(1, 400, 1000);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

// It may have waited for others.
TEST_F(CollectiveTest, OneDeviceIsNotJudged) {
  Device(0, 4000, 1000);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

// Only one device waits for the other: the collective itself is fast.
TEST_F(CollectiveTest, WaitingForALateRankIsNotSlow) {
  Device(0, 4000, 1000);
  Device(1, 300, 1000);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

}  // namespace collectives_test
}  // namespace
}  // namespace tfprof::advisor
