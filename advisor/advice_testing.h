// The fixture for tests of advice: it runs the fake checkers.

#ifndef TFPROF_ADVISOR_ADVICE_TESTING_H_
#define TFPROF_ADVISOR_ADVICE_TESTING_H_

#include <string>
#include <vector>

#include "accounting/small_model_testing.h"
#include "advisor/advice.h"
#include "advisor/choice.h"
#include "advisor/fake_checkers_testing.h"
#include "gtest/gtest.h"
#include "loaders/core/import_log.h"
#include "profile/profile.h"
#include "views/views.h"

namespace tfprof::advisor {

class AdviceTest : public ::testing::Test {
 protected:
  // The advice of the named checkers and rules, or of all AdviceCheckers() if
  // none are named. `values` are options: "old.limit=0.2".
  Advice Run(const std::vector<std::string>& checkers = {},
             const std::vector<std::string>& values = {}) {
    const auto choices = ParseCheckers(checkers, kFakeCheckers);
    return RunCheckers(
        {views_, log_},
        checkers.empty() ? AdviceCheckers(kFakeCheckers) : *choices,
        *ParseCheckerValues(values, kFakeCheckers));
  }

  const profile::Profile profile_ = accounting::SmallModel();
  views::Views views_{profile_};
  const loaders::ImportLog log_{};
};

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_ADVICE_TESTING_H_
