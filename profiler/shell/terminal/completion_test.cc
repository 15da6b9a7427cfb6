#include "profiler/shell/terminal/completion.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/terminal/name_index.h"

namespace tfprof::shell {
namespace {
namespace completion_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// The line after a Tab.
std::string After(std::string_view line, const Completion& completion) {
  if (completion.total == 0) return std::string(line);
  return std::string(line.substr(0, completion.begin)) + completion.common +
         (completion.whole ? " " : "");
}

Completion CompleteAlone(std::string_view line) { return Complete(line, {}); }
std::string Tab(std::string_view line) {
  return After(line, CompleteAlone(line));
}

// ---- Lines

TEST(CompletionTest, Commands) {
  EXPECT_THAT(CompleteAlone("s").listed,
              ElementsAre("scope", "set", "status", "show", "steps", "skew",
                          "save", "serve"));
  EXPECT_EQ(Tab("gr"), "graph ");
  EXPECT_EQ(CompleteAlone("").total, commands::CommandTable().size());
  EXPECT_EQ(CompleteAlone("nothing").total, 0u);
  EXPECT_EQ(CompleteAlone("nothing ").total, 0u);
  EXPECT_EQ(CompleteAlone("# s").total, 0u);
}

TEST(CompletionTest, OptionsOfTheCommand) {
  EXPECT_THAT(CompleteAlone("op -st").listed,
              ElementsAre("-step", "-start_name_regexes"));
  EXPECT_EQ(Tab("op -st"), "op -st");
  EXPECT_EQ(Tab("op -step 1 -ord"), "op -step 1 -order_by ");
  EXPECT_EQ(Tab("code -account_d"), "code -account_d");
  EXPECT_EQ(Tab("op -account_d"), "op -account_displayed_op_only ");
  EXPECT_EQ(Tab("op -checkers"), "op -checkers");
  EXPECT_EQ(Tab("advise -checkers"), "advise -checkers ");
  // All but the options that only convert, check, save, roofline, timeline,
  // critical_path, memory, serve, record or redact has.
  EXPECT_EQ(CompleteAlone("set -").total, options::OptionTable().size() - 30);
  EXPECT_THAT(CompleteAlone("check -").listed,
              ElementsAre("-output", "-agent", "-budget", "-compatible",
                          "-limit", "-fail-if", "-rules", "-noise"));
  EXPECT_THAT(CompleteAlone("convert -").listed,
              ElementsAre("-to", "-steps", "-keep_environment"));
  EXPECT_THAT(CompleteAlone("status -").listed,
              ElementsAre("-output", "-color", "-agent", "-budget",
                          "-compatible", "-limit"));
  EXPECT_EQ(CompleteAlone("reload -").total, 0u);
}

TEST(CompletionTest, PlainWords) {
  EXPECT_EQ(Tab("advise a"), "advise all ");
  EXPECT_EQ(CompleteAlone("op a").total, 0u);
  EXPECT_EQ(Tab("help orde"), "help order_by ");
  EXPECT_EQ(Tab("help advise.low_ut"), "help advise.low_utilization ");
}

TEST(CompletionTest, Values) {
  EXPECT_EQ(Tab("op -order_by mi"), "op -order_by micros ");
  EXPECT_EQ(Tab("op -order_by 'mi"), "op -order_by 'micros");
  EXPECT_EQ(CompleteAlone("op -order_by ").total, 11u);
  EXPECT_EQ(Tab("op -select micros,pe"), "op -select micros,peak_bytes ");
  EXPECT_EQ(Tab("op -select micros,"), "op -select micros,");
  EXPECT_EQ(Tab("advise -checkers ExpensiveOperationChecker,AcceleratorU"),
            "advise -checkers ExpensiveOperationChecker,"
            "AcceleratorUtilizationChecker ");
  EXPECT_EQ(Tab("advise -checker_options AcceleratorUtilizationChecker.low"),
            "advise -checker_options AcceleratorUtilizationChecker.low_"
            "utilization=0.5 ");
  EXPECT_EQ(Tab("op -account_displayed_op_only f"),
            "op -account_displayed_op_only false ");
  EXPECT_EQ(Tab("op -account_displayed_op_only -sel"),
            "op -account_displayed_op_only -select ");
}

TEST(CompletionTest, ValuesBehindAnEqualsSign) {
  EXPECT_EQ(Tab("op -order_by=mi"), "op -order_by=micros ");
  EXPECT_EQ(Tab("op -select=micros,pe"), "op -select=micros,peak_bytes ");
  EXPECT_EQ(Tab("op -order_by=micros -sel"), "op -order_by=micros -select ");
}

TEST(CompletionTest, Outputs) {
  EXPECT_EQ(Tab("op -output st"), "op -output stdout ");
  EXPECT_EQ(Tab("op -output ti"), "op -output timeline:outfile=");
  EXPECT_EQ(Tab("op -output file:"), "op -output file:outfile=");
}

TEST(CompletionTest, Files) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "completion";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "sub" / "deep");
  for (const char* name : {"one.pb", "two words", ".hidden", "x\x1b[2J"}) {
    std::ofstream(folder / name).put('x');
  }
  const std::string path = folder.string();
  EXPECT_EQ(Tab("save " + path + "/on"), "save " + path + "/one.pb ");
  EXPECT_EQ(Tab("save " + path + "/su"), "save " + path + "/sub/");
  EXPECT_EQ(Tab("save " + path + "/sub/d"), "save " + path + "/sub/deep/");
  EXPECT_EQ(Tab("save " + path + "/tw"), "save '" + path + "/two words' ");
  EXPECT_EQ(Tab("save '" + path + "/two w"), "save '" + path + "/two words' ");
  EXPECT_EQ(Tab("op -output file:outfile=" + path + "/on"),
            "op -output file:outfile=" + path + "/one.pb ");
  EXPECT_THAT(CompleteAlone("save " + path + "/").listed,
              ElementsAre("one.pb", "sub/", "two words", "x\x1b[2J"));
  // A name that cannot be typed is not finished.
  EXPECT_EQ(Tab("save " + path + "/x"), "save " + path + "/x");
  EXPECT_EQ(Tab("save " + path + "/.h"), "save " + path + "/.hidden ");
  EXPECT_EQ(CompleteAlone("save " + path + "/nowhere/x").total, 0u);
}

// ---- Names

profile::Profile NamesProfile() {
  profile::ProfileBuilder builder;
  for (const char* name :
       {"net/unit_1/conv", "net/unit_1/relu", "net/unit_2/conv", "net/unit_1",
        "net/unit_1-x", "loss", "net.v2/a b", "odd/\x1b[2J", "net/unit_10/c"}) {
    profile::AddNodeWithInputs(
        builder, name, name[0] == 'l' ? "SoftmaxLoss" : "Conv2D", {}, {1});
  }
  return std::move(builder).Build();
}

class NamesTest : public testing::Test {
 protected:
  Completion Answer(std::string_view line) {
    return Complete(line, {.names = &names_});
  }
  std::string Tab(std::string_view line) { return After(line, Answer(line)); }

  const profile::Profile profile_ = NamesProfile();
  NameIndex names_{profile_};
};

TEST_F(NamesTest, PathsGoOnPartByPart) {
  const Completion roots = Answer("scope -start_name_regexes ");
  EXPECT_THAT(roots.listed, ElementsAre("loss", "net.v2/", "net/", "odd/"));
  EXPECT_EQ(Tab("scope -start_name_regexes l"),
            "scope -start_name_regexes loss ");
  EXPECT_EQ(Tab("scope -start_name_regexes net/"),
            "scope -start_name_regexes net/unit_");
  EXPECT_EQ(Tab("scope -start_name_regexes net/unit_2"),
            "scope -start_name_regexes net/unit_2/");
  EXPECT_THAT(
      Answer("scope -start_name_regexes net/unit_").listed,
      ElementsAre("unit_1", "unit_1-x", "unit_1/", "unit_10/", "unit_2/"));
  EXPECT_EQ(Tab("graph -show_name_regexes x,net/unit_1/r"),
            "graph -show_name_regexes x,net/unit_1/relu ");
  EXPECT_EQ(Answer("scope -start_name_regexes nowhere/").total, 0u);
}

TEST_F(NamesTest, NamesAreEscapedForExpressions) {
  EXPECT_EQ(Tab("scope -start_name_regexes net.v"),
            "scope -start_name_regexes net\\.v2/");
  EXPECT_EQ(Tab("scope -start_name_regexes net\\.v"),
            "scope -start_name_regexes net\\.v2/");
  EXPECT_EQ(Tab("scope -start_name_regexes net\\.v2/"),
            "scope -start_name_regexes net\\.v2/a\\x20b ");
  EXPECT_EQ(Tab("scope -start_name_regexes odd/"),
            "scope -start_name_regexes odd/\\x1b\\[2J ");
  EXPECT_EQ(Tab("scope -start_name_regexes 'net/unit_1/r"),
            "scope -start_name_regexes 'net/unit_1/relu");
}

TEST_F(NamesTest, AnywhereInAName) {
  EXPECT_EQ(Tab("scope -show_name_regexes .*rel"),
            "scope -show_name_regexes .*relu");
  EXPECT_EQ(Tab("scope -show_name_regexes .*a"),
            "scope -show_name_regexes .*a\\x20b");
  EXPECT_EQ(Tab("scope -show_name_regexes .*"), "scope -show_name_regexes .*");
}

TEST_F(NamesTest, RowsAreThoseOfTheView) {
  EXPECT_EQ(Tab("op -hide_name_regexes Con"), "op -hide_name_regexes Conv2D ");
  EXPECT_EQ(Tab("scope -account_type_regexes Soft"),
            "scope -account_type_regexes SoftmaxLoss ");
}

TEST_F(NamesTest, ListsAreCutAndCounted) {
  profile::ProfileBuilder builder;
  for (int i = 0; i < 250; ++i) {
    profile::AddNodeWithInputs(builder, "n" + std::to_string(i), "Const", {},
                               {1});
  }
  const profile::Profile many = std::move(builder).Build();
  NameIndex names(many);
  const Completion completion =
      Complete("scope -show_name_regexes n", {.names = &names});
  EXPECT_EQ(completion.total, 250u);
  EXPECT_THAT(completion.listed, SizeIs(kMaxListed));
}

TEST_F(NamesTest, Scopes) {
  const NameMatches scopes =
      names_.Complete(NameIndex::Kind::kScopes, "net/unit_1", 10);
  EXPECT_THAT(scopes.names, ElementsAre("net/unit_1/", "net/unit_10/"));
  EXPECT_EQ(scopes.total, 2u);
}

TEST_F(NamesTest, SortingInTheBackgroundChangesNoAnswer) {
  names_.Prepare();
  for (int i = 0; i < 2000; ++i) {
    ASSERT_THAT(names_.Complete(NameIndex::Kind::kScopes, "net/un", 1).names,
                ElementsAre("net/unit_1/"));
  }
}

TEST(TypesTest, DevicesHaveShortNames) {
  const profile::Profile profile = accounting::SmallModel();
  NameIndex names(profile);
  const CompletionContext context = {.names = &names};
  const std::string_view line = "op -account_type_regexes .*gpu:";
  EXPECT_EQ(After(line, Complete(line, context)),
            "op -account_type_regexes .*gpu:0");
  const std::string_view whole = "op -account_type_regexes /job:";
  EXPECT_THAT(After(whole, Complete(whole, context)),
              HasSubstr("/job:localhost/"));
}

TEST(StepsTest, AreThoseOfTheProfile) {
  const profile::Profile profile = accounting::SmallModel();
  NameIndex names(profile);
  std::vector<std::string> steps;
  for (const auto& step : profile.steps()) {
    steps.push_back(std::to_string(step->id));
  }
  steps.push_back("-1");
  EXPECT_EQ(Complete("op -step ", {.names = &names}).listed, steps);
}

TEST_F(NamesTest, PlainWordsAreNodesOrScopes) {
  EXPECT_EQ(Tab("show los"), "show loss ");
  EXPECT_EQ(Tab("cd ne"), "cd net");
  EXPECT_EQ(Tab("cd net/unit_2"), "cd net/unit_2/");
  // A name that needs quotes gets them.
  EXPECT_EQ(Tab("show net.v2/"), "show 'net.v2/a b' ");
  EXPECT_EQ(Tab("show 'net.v2/"), "show 'net.v2/a b' ");
}

TEST_F(NamesTest, NamesAreRelativeToTheScope) {
  const std::string_view line = "show re";
  const Completion completion =
      Complete(line, {.names = &names_, .scope = "net/unit_1/"});
  EXPECT_EQ(After(line, completion), "show relu ");
  EXPECT_THAT(completion.listed, ElementsAre("relu"));
}

TEST_F(NamesTest, AnUntypeableNameIsCompletedUpToItsControls) {
  EXPECT_EQ(Tab("show odd/"), "show odd/");
  EXPECT_EQ(Answer("show odd/").total, 1u);
}

TEST_F(NamesTest, AnExpressionThatIsNoNameIsNotCompleted) {
  EXPECT_EQ(Answer("scope -show_name_regexes [a").total, 0u);
  EXPECT_EQ(Answer("scope -show_name_regexes a|").total, 0u);
}

TEST(CompletionTest, WithoutAProfileThereAreNoNames) {
  EXPECT_EQ(CompleteAlone("show x").total, 0u);
  EXPECT_EQ(CompleteAlone("op -step ").total, 0u);
  EXPECT_EQ(CompleteAlone("op -show_name_regexes x").total, 0u);
}

TEST(CompletionTest, AFinishedLineOffersTheNextWord) {
  EXPECT_EQ(CompleteAlone("op -order_by micros ").total,
            CompleteAlone("op ").total);
  // Two dashes are an error in a line, so nothing is offered for them.
  EXPECT_EQ(CompleteAlone("op --st").total, 0u);
}

}  // namespace completion_test
}  // namespace
}  // namespace tfprof::shell
