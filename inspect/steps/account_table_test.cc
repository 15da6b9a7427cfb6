#include "inspect/steps/account_table.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "timeline/calls_testing.h"

namespace tfprof::inspect {
namespace {
namespace account_table_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using timeline::Part;

class AccountTableTest : public testing::Test {
 protected:
  // A step of 1000 with a gap for input.
  void AddStep(int64_t step, int64_t input) {
    const int64_t start = 1000 * step;
    model_.step = step;
    model_.StepInterval(start, start + 1000);
    model_.Kernel("aten::mm", start, 700 - input);
    model_.Python("data.py:3:load_batch", start + 700 - input, input);
    model_.Kernel("aten::relu", start + 700, 300);
  }
  timeline::StepAccount Account(int64_t step) {
    if (!profile_) {
      profile_.emplace(std::move(model_.trace).Build());
      views_.emplace(*profile_);
    }
    return timeline::AccountOf(*views_, *profile_->FindStep(step));
  }

  timeline::CallsModel model_;
  std::optional<profile::Profile> profile_;
  std::optional<views::Views> views_;
};

TEST_F(AccountTableTest, PartsAreSortedByTime) {
  AddStep(0, 100);
  const timeline::StepAccount account = Account(0);
  const tables::DataTable table = AccountTable(*views_, account, nullptr);
  EXPECT_EQ(table.kind, "account");
  EXPECT_THAT(
      Rows(table, {"device", "cause", "part", "micros", "wall_share",
                   "more_micros", "most"}),
      ElementsAre("gpu:0 matrix_products matrix products 600 0.600 - "
                  "aten::mm 600us",
                  "gpu:0 elementwise elementwise 300 0.300 - aten::relu 300us",
                  "gpu:0 input waiting for input 100 0.100 - "
                  "data.py:3:load_batch 100us"));
}

TEST_F(AccountTableTest, BesideAUsualStepPartsAreSortedByWhatGrew) {
  AddStep(0, 100);
  AddStep(1, 500);
  const timeline::StepAccount usual = Account(0);
  const timeline::StepAccount account = Account(1);
  const tables::DataTable table = AccountTable(*views_, account, &usual);
  EXPECT_THAT(Rows(table, {"cause", "micros", "more_micros"}),
              ElementsAre("input 500 400", "elementwise 300 0",
                          "matrix_products 200 -400"));
}

TEST_F(AccountTableTest, APartOnlyOfTheUsualStepIsShown) {
  AddStep(0, 100);
  AddStep(1, 0);
  const timeline::StepAccount usual = Account(0);
  const timeline::StepAccount account = Account(1);
  const tables::DataTable table = AccountTable(*views_, account, &usual);
  EXPECT_THAT(
      Rows(table, {"cause", "micros", "more_micros", "most"}),
      ElementsAre("matrix_products 700 100 aten::mm 700us",
                  "elementwise 300 0 aten::relu 300us", "input 0 -100 -"));
}

TEST_F(AccountTableTest, EachDeviceHasItsRows) {
  AddStep(0, 0);
  model_.gpu = 1;
  model_.Kernel("aten::sum", 0, 1000);
  const timeline::StepAccount account = Account(0);
  const tables::DataTable table = AccountTable(*views_, account, nullptr);
  EXPECT_THAT(Rows(table, {"device", "cause", "micros"}),
              ElementsAre("gpu:0 matrix_products 700", "gpu:0 elementwise 300",
                          "gpu:1 reductions 1000"));
}

TEST_F(AccountTableTest, TheLargestAvoidablePart) {
  AddStep(0, 100);
  const timeline::StepAccount account = Account(0);
  const std::optional<Avoidable> found = LargestAvoidable(account, nullptr);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->part, Part::kInput);
  EXPECT_EQ(found->ticks, 100);
  EXPECT_EQ(found->unit, account.devices[0].unit);
  EXPECT_EQ(CauseSentence(*views_, account, *found),
            "gpu:0: 10.0% of its wall time goes to waiting for input (100us "
            "of 1.00ms); most of it data.py:3:load_batch 100us");
}

TEST_F(AccountTableTest, AServerThatWaitsForRequestsIsNoCause) {
  timeline::StepAccount account;
  timeline::DeviceAccount& server = account.devices.emplace_back();
  server.wall = 1000;
  server[Part::kNotRecorded].ticks = 900;
  ASSERT_TRUE(LargestAvoidable(account, nullptr).has_value());
  server.serves_parameters = true;
  EXPECT_EQ(LargestAvoidable(account, nullptr), std::nullopt);
}

TEST_F(AccountTableTest, ADeviceThatComputesIsNotExplainedByATrifle) {
  AddStep(0, 99);
  const timeline::StepAccount account = Account(0);
  EXPECT_EQ(WorksSentence(*views_, account),
            "gpu:0 computes for 90.1% of its wall time (901us of 1.00ms): "
            "matrix products 60.1%, elementwise 30.0%");
}

TEST_F(AccountTableTest, APartThatMattersIsTheCause) {
  AddStep(0, 100);
  EXPECT_EQ(WorksSentence(*views_, Account(0)), "");
}

TEST_F(AccountTableTest, APartThatMattersOnAnotherDeviceIsTheCause) {
  AddStep(0, 0);
  model_.gpu = 1;
  model_.Kernel("aten::sum", 0, 500);
  EXPECT_EQ(WorksSentence(*views_, Account(0)), "");
}

TEST_F(AccountTableTest, NothingLargeIsAvoidable) {
  AddStep(0, 10);
  EXPECT_EQ(LargestAvoidable(Account(0), nullptr), std::nullopt);
}

TEST_F(AccountTableTest, WithAUsualStepThePartThatGrewMost) {
  AddStep(0, 300);
  AddStep(1, 200);
  const timeline::StepAccount usual = Account(0);
  const timeline::StepAccount account = Account(1);
  const std::optional<Avoidable> found = LargestAvoidable(account, &usual);
  ASSERT_TRUE(found.has_value());
  // Computation may be what grew.
  EXPECT_EQ(found->part, Part::kMatrixProducts);
  EXPECT_EQ(found->ticks, 500);
  EXPECT_EQ(found->more, 100);
  EXPECT_EQ(LargestAvoidable(account, &account), std::nullopt);
}

TEST(DetailTextTest, TheLargestDetails) {
  const auto text = [](std::vector<timeline::PartDetail> details) {
    return DetailText({.details = std::move(details)}, 1);
  };
  EXPECT_THAT(text({}), IsEmpty());
  EXPECT_EQ(text({{"a", 1000, 1}, {"b", 50, 1}}), "a 1.00ms, b 50us");
  // Less than a twentieth of the first.
  EXPECT_EQ(text({{"a", 1000, 1}, {"b", 49, 1}}), "a 1.00ms");
  EXPECT_EQ(text({{"a", 9, 1}, {"", 8, 1}, {"c", 7, 1}, {"d", 6, 1}}),
            "a 9us, nothing that was recorded 8us, c 7us");
}

}  // namespace account_table_test
}  // namespace
}  // namespace tfprof::inspect
