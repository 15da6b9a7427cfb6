#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace streams_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kChecker = "StreamChecker";

class StreamTest : public CallsCheckTest {
 protected:
  void OnStream(int64_t stream, std::string_view op, int64_t start,
                int64_t micros) {
    model_.Add({.name = "kernel",
                .node = model_.Op(op),
                .lane = model_.Stream(0, stream, profile::LaneKind::kKernels),
                .start = start * kTicks,
                .duration = micros * kTicks});
  }
  // Turns of 1 ms: 700 us of the main stream, and 300 us of another one.
  void Turns(int count, int64_t side_start) {
    for (int i = 0; i < count; ++i) {
      OnStream(7, "aten::mm", int64_t{1000} * i, 700);
      OnStream(28, "aten::mul", int64_t{1000} * i + side_start, 300);
    }
  }
};

TEST_F(StreamTest, StreamsThatTakeTurns) {
  Turns(10, 700);
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre("gpu:0: stream 28 works for 30.0% of the time "
                          "(3.00ms of 10.00ms), and stream 7 waits for it each "
                          "time (10 times) instead of working beside it: "
                          "aten::mul 3.00ms"));
  EXPECT_EQ(findings_[0].rule, "serial_streams");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

TEST_F(StreamTest, StreamsThatWorkBesideEachOtherAreFine) {
  Turns(10, 300);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(StreamTest, OnceIsFine) {
  Turns(1, 700);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

}  // namespace streams_test
}  // namespace
}  // namespace tfprof::advisor
