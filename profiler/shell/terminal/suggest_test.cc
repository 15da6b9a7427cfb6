#include "profiler/shell/terminal/suggest.h"

#include <string>
#include <string_view>
#include <utility>

#include "accounting/small_model_testing.h"
#include "gtest/gtest.h"

namespace tfprof::shell {
namespace {
namespace suggest_test {

profile::Profile NamesProfile() {
  profile::ProfileBuilder builder;
  for (const char* name :
       {"net/unit_1/conv", "net/unit_1/relu", "net/unit_2/conv", "loss"}) {
    profile::AddNodeWithInputs(
        builder, name, name[0] == 'l' ? "SoftmaxLoss" : "Conv2D", {}, {1});
  }
  return std::move(builder).Build();
}

class SuggestNamesTest : public testing::Test {
 protected:
  std::string For(views::View view, const std::string& show) {
    views::ViewOptions options;
    options.show_names = {show};
    return SuggestNames(view, options, names_);
  }

  const profile::Profile profile_ = NamesProfile();
  NameIndex names_{profile_};
};

TEST_F(SuggestNamesTest, OnePartIsCorrected) {
  EXPECT_EQ(For(views::View::kScope, "net/unti_2/conv"),
            "nothing is called 'net/unti_2/conv'; did you mean "
            "net/unit_2/conv?");
  EXPECT_EQ(For(views::View::kScope, "lost.*"),
            "nothing is called 'lost'; did you mean loss?");
  EXPECT_EQ(For(views::View::kOp, "Cnov2D"),
            "nothing is called 'Cnov2D'; did you mean Conv2D?");
}

TEST_F(SuggestNamesTest, APartOfANameGetsAnExpressionThatMatches) {
  EXPECT_EQ(For(views::View::kScope, "relu"),
            "'relu' matches whole names only; names that contain it, such as "
            "net/unit_1/relu, match '.*relu.*'");
}

TEST_F(SuggestNamesTest, ExistingNamesGetNoSuggestion) {
  EXPECT_EQ(For(views::View::kScope, "loss"), "");
  EXPECT_EQ(For(views::View::kScope, "net"), "");
  EXPECT_EQ(For(views::View::kScope, ".*relu.*"), "");
  EXPECT_EQ(For(views::View::kScope, "[abc]+"), "");
  EXPECT_EQ(For(views::View::kScope, "quite something else"), "");
}

TEST_F(SuggestNamesTest, ListsWithSeveralNamesGetSeveralSuggestions) {
  views::ViewOptions options;
  options.show_names = {"lost", "net/unit_1/rleu"};
  EXPECT_EQ(SuggestNames(views::View::kScope, options, names_),
            "nothing is called 'lost'; did you mean loss?\n"
            "nothing is called 'net/unit_1/rleu'; did you mean "
            "net/unit_1/relu?");
}

TEST_F(SuggestNamesTest, TypesAndStartsAreChecked) {
  views::ViewOptions options;
  options.account_types = {"Cnov2D"};
  options.start_names = {"lsos"};
  EXPECT_EQ(SuggestNames(views::View::kGraph, options, names_),
            "nothing is called 'Cnov2D'; did you mean Conv2D?\n"
            "nothing is called 'lsos'; did you mean loss?");
  // Rows that are hidden or trimmed do not empty a report by a typo.
  views::ViewOptions hidden;
  hidden.hide_names = {"lost"};
  hidden.trim_names = {"lost"};
  EXPECT_EQ(SuggestNames(views::View::kScope, hidden, names_), "");
}

}  // namespace suggest_test
}  // namespace
}  // namespace tfprof::shell
