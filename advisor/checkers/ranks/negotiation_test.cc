#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "advisor/advisor_testing.h"
#include "timeline/calls_testing.h"

namespace tfprof::advisor {
namespace {
namespace negotiation_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NegotiationTest : public AdvisorTest {
 protected:
  // A reduction of a tensor, for which four ranks are ready at these times.
  void Reduce(int64_t tensor, int64_t start,
              const std::vector<int64_t>& ready) {
    int64_t last = 0;
    for (size_t rank = 0; rank < ready.size(); ++rank) {
      model_.Op(std::to_string(rank), start + ready[rank], 0, tensor);
      last = std::max(last, ready[rank]);
    }
    model_.Op("NEGOTIATE_ALLREDUCE", start, last + 10, tensor);
    model_.Op("ALLREDUCE", start + last + 10, 500, tensor);
  }
  std::vector<std::string> Texts() {
    return CheckProfile(std::move(model_.trace).Build(), "NegotiationChecker");
  }

  timeline::CallsModel model_;
};

TEST_F(NegotiationTest, OneRankIsLate) {
  for (int64_t i = 0; i < 4; ++i) {
    Reduce(1, 10'000 * i, {1, 5, 4005, 3});
    Reduce(2, 10'000 * i, {1, 5, 4105, 3});
  }
  Reduce(1, 39'490, {0, 0, 0, 0});
  EXPECT_THAT(Texts(), ElementsAre("rank 2 is the last one to be ready for 8 "
                                   "of 9 reductions, and the other ranks wait "
                                   "for it for 41.0% of the time from the "
                                   "first operation to the last (16.41ms of "
                                   "40.00ms)"));
  EXPECT_EQ(findings_[0].subject, "rank 2");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

TEST_F(NegotiationTest, RanksInTurns) {
  for (int64_t i = 0; i < 4; ++i) {
    std::vector<int64_t> ready(4, 0);
    ready[static_cast<size_t>(i)] = 4000;
    Reduce(1, 10'000 * i, ready);
  }
  EXPECT_THAT(Texts(), ElementsAre(HasSubstr("ranks in turns")));
}

TEST_F(NegotiationTest, RanksThatAreReadyTogether) {
  for (int64_t i = 0; i < 4; ++i) Reduce(1, 10'000 * i, {1, 5, 105, 3});
  EXPECT_THAT(Texts(), IsEmpty());
}

TEST_F(NegotiationTest, NumbersElsewhereAreNoRanks) {
  model_.Op("0", 0, 0);
  model_.Op("1", 1000, 0);
  EXPECT_THAT(Texts(), IsEmpty());
}

}  // namespace negotiation_test
}  // namespace
}  // namespace tfprof::advisor
