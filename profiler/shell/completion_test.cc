// Completion, the names behind it, and what is suggested for slips.

#include "profiler/shell/completion.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/small_model.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/name_index.h"
#include "profiler/shell/regex_text.h"
#include "profiler/shell/sorted_names.h"
#include "profiler/shell/suggest.h"
#include "profiler/options/words.h"
#include "util/edit_distance.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

// ---- Words

TEST(OpenWordTest, BeginsBehindTheLastBlankOutsideOfQuotes) {
  EXPECT_EQ(OpenWord(""), 0u);
  EXPECT_EQ(OpenWord("op"), 0u);
  EXPECT_EQ(OpenWord("op "), 3u);
  EXPECT_EQ(OpenWord("op -step 1"), 9u);
  EXPECT_EQ(OpenWord("save 'a b"), 5u);
  EXPECT_EQ(OpenWord("save 'a b' c"), 11u);
  EXPECT_EQ(OpenWord("op it's so"), 8u);
  EXPECT_EQ(OpenWord("op # -st"), std::string_view::npos);
}

// ---- Regular expressions of names

TEST(RegexTextTest, NamesMatchThemselvesOnly) {
  EXPECT_EQ(RegexOfName("resnet/unit_1"), "resnet/unit_1");
  EXPECT_EQ(RegexOfName("train.py:3:<module>"), "train\\.py:3:<module>");
  EXPECT_EQ(RegexOfName("a+b (c)"), "a\\+b\\x20\\(c\\)");
  EXPECT_EQ(RegexOfName("a,b'c\x1b"), "a\\x2cb\\x27c\\x1b");
  EXPECT_EQ(RegexOfName("日本\xff"), "日本.");
}

TEST(RegexTextTest, AndBack) {
  for (const std::string name :
       {"resnet/unit_1", "train.py:3:<module>", "a+b (c)", "a,b'c\x1b", "日本",
        "#x\\y", "^a|b$"}) {
    EXPECT_EQ(NameOfRegex(RegexOfName(name)), name);
  }
  EXPECT_EQ(NameOfRegex("train.py"), "train.py");
  EXPECT_EQ(NameOfRegex("a\\"), "a");
  EXPECT_EQ(NameOfRegex("\\xe9"), "é");
  for (const char* regex :
       {"a*", ".*a", "a|b", "[ab]", "\\d", "\\x1", "\\xgg"}) {
    EXPECT_EQ(NameOfRegex(regex), std::nullopt) << regex;
  }
}

// ---- Edit distance

TEST(EditDistanceTest, CountsSlips) {
  EXPECT_EQ(EditDistance("micros", "micros", 9), 0u);
  EXPECT_EQ(EditDistance("MICROS", "micros", 9), 0u);
  EXPECT_EQ(EditDistance("mircos", "micros", 9), 1u);  // a swap
  EXPECT_EQ(EditDistance("micro", "micros", 9), 1u);
  EXPECT_EQ(EditDistance("mikros", "micros", 9), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting", 9), 3u);
  EXPECT_EQ(EditDistance("", "abc", 9), 3u);
  EXPECT_EQ(EditDistance("ca", "abc", 9), 3u);
  EXPECT_GT(EditDistance("kitten", "sitting", 2), 2u);
  EXPECT_GT(EditDistance("a", std::string(1000, 'a'), 5), 5u);
}

TEST(EditDistanceTest, NearestFirst) {
  const std::vector<std::string> words = {"bytes", "micros", "cpu_micros",
                                          "params"};
  EXPECT_THAT(Nearest("mircos", words), ElementsAre("micros"));
  EXPECT_THAT(Nearest("param", words), ElementsAre("params"));
  EXPECT_THAT(Nearest("cpu", words), ElementsAre("cpu_micros"));
  EXPECT_THAT(Nearest("x", words), IsEmpty());
  EXPECT_THAT(Nearest("nothing", words), IsEmpty());
  EXPECT_EQ(DidYouMean(Nearest("mircos", words)), "did you mean micros?");
  EXPECT_EQ(DidYouMean(std::vector<std::string>{"a", "b", "c"}, "-"),
            "did you mean -a, -b or -c?");
  EXPECT_EQ(DidYouMean({}), "");
}

// ---- Lines

TEST(CompletionTest, Commands) {
  EXPECT_THAT(CompleteAlone("s").listed,
              ElementsAre("scope", "set", "status", "show", "steps", "save"));
  EXPECT_EQ(Tab("gr"), "graph ");
  EXPECT_EQ(CompleteAlone("").total, CommandTable().size());
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
  // All but the two of convert.
  EXPECT_EQ(CompleteAlone("set -").total, OptionTable().size() - 2);
  EXPECT_THAT(CompleteAlone("convert -").listed, ElementsAre("-to", "-steps"));
  EXPECT_THAT(CompleteAlone("status -").listed,
              ElementsAre("-output", "-color", "-agent"));
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
  EXPECT_EQ(Tab("advise -checkers ExpensiveOperationChecker,Acc"),
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

TEST(CompletionTest, Outputs) {
  EXPECT_EQ(Tab("op -output s"), "op -output stdout ");
  EXPECT_EQ(Tab("op -output ti"), "op -output timeline:outfile=");
  EXPECT_EQ(Tab("op -output file:"), "op -output file:outfile=");
}

TEST(CompletionTest, Files) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "completion";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "sub" / "deep");
  for (const char* name : {"one.pb", "two words", ".hidden"}) {
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
              ElementsAre("one.pb", "sub/", "two words"));
  EXPECT_EQ(Tab("save " + path + "/.h"), "save " + path + "/.hidden ");
  EXPECT_EQ(CompleteAlone("save " + path + "/nowhere/x").total, 0u);
}

// ---- Names

Profile NamesProfile() {
  ProfileBuilder builder;
  for (const char* name :
       {"net/unit_1/conv", "net/unit_1/relu", "net/unit_2/conv", "net/unit_1",
        "net/unit_1-x", "loss", "net.v2/a b", "odd/\x1b[2J", "net/unit_10/c"}) {
    AddNodeWithInputs(builder, name, name[0] == 'l' ? "SoftmaxLoss" : "Conv2D",
                      {}, {1});
  }
  return std::move(builder).Build();
}

class NamesTest : public testing::Test {
 protected:
  Completion Answer(std::string_view line) {
    return Complete(line, {.names = &names_});
  }
  std::string Tab(std::string_view line) { return After(line, Answer(line)); }

  const Profile profile_ = NamesProfile();
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

TEST_F(NamesTest, WhatAnExpressionNeedsIsEscaped) {
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
  ProfileBuilder builder;
  for (int i = 0; i < 250; ++i) {
    AddNodeWithInputs(builder, "n" + std::to_string(i), "Const", {}, {1});
  }
  const Profile many = std::move(builder).Build();
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

TEST_F(NamesTest, SortingMeanwhileChangesNothing) {
  names_.Prepare();
  for (int i = 0; i < 2000; ++i) {
    ASSERT_THAT(names_.Complete(NameIndex::Kind::kScopes, "net/un", 1).names,
                ElementsAre("net/unit_1/"));
  }
}

// Before names are sorted, all of them are read; the answers are the same.
TEST(SortedNamesTest, AScanAnswersTheSame) {
  constexpr std::string_view kPieces[] = {"a", "ab",  "b",    "/", "/",
                                          "-", "a/b", "\xff", "B"};
  std::mt19937 random(7);
  const auto word = [&](size_t pieces) {
    std::string text;
    for (size_t i = 0; i < pieces; ++i) {
      text += kPieces[random() % std::size(kPieces)];
    }
    return text;
  };
  for (int round = 0; round < 200; ++round) {
    StringPool pool;
    for (int i = 0; i < 40; ++i) pool.Intern(word(1 + random() % 6));
    std::vector<StringId> ids(pool.size());
    std::iota(ids.begin(), ids.end(), 0);
    const char separator = round % 4 == 0 ? '\0' : '/';
    const SortedNames sorted(pool, ids, separator);
    StringPool part_pool;
    sorted.CollectParts(part_pool);
    std::vector<StringId> part_ids(part_pool.size());
    std::iota(part_ids.begin(), part_ids.end(), 0);
    const SortedNames parts(part_pool, part_ids, '\0');
    const NameList list{pool, ids, separator};
    const auto expect_same = [](const NameMatches& a, const NameMatches& b) {
      EXPECT_EQ(a.names, b.names);
      EXPECT_EQ(a.total, b.total);
      EXPECT_EQ(a.common, b.common);
      EXPECT_EQ(a.open, b.open);
    };
    for (const size_t limit : {size_t{0}, size_t{1}, size_t{5}, size_t{100}}) {
      for (const bool scopes_only : {false, true}) {
        const std::string stem = word(random() % 4);
        SCOPED_TRACE(stem);
        expect_same(sorted.Complete(stem, limit, scopes_only),
                    ScanNames(list, stem, limit, scopes_only));
      }
      std::string stem = word(random() % 3);
      std::erase(stem, '/');
      SCOPED_TRACE(stem);
      expect_same(parts.Complete(stem, limit), ScanParts(list, stem, limit));
    }
    const std::string within = word(2);
    std::string_view first;
    for (size_t i = 0; i < sorted.size() && first.empty(); ++i) {
      if (sorted.name(i).find(within) != std::string_view::npos) {
        first = sorted.name(i);
      }
    }
    EXPECT_EQ(FirstNameWith(list, within), first);
  }
}

TEST(TypesTest, DevicesHaveShortNames) {
  const Profile profile = SmallModel();
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
  const Profile profile = SmallModel();
  NameIndex names(profile);
  std::vector<std::string> steps;
  for (const auto& step : profile.steps()) {
    steps.push_back(std::to_string(step->id));
  }
  steps.push_back("-1");
  EXPECT_EQ(Complete("op -step ", {.names = &names}).listed, steps);
}

// ---- Suggestions

std::string ForLine(std::string_view line) {
  return SuggestForLine(SplitWords(line));
}

TEST(SuggestTest, Lines) {
  EXPECT_EQ(ForLine("scpoe"), "did you mean scope?");
  EXPECT_EQ(ForLine("xyzzyx"), "help lists the commands");
  EXPECT_EQ(ForLine("-step 1"),
            "a line begins with a command; did you mean set -step …?");
  EXPECT_EQ(ForLine("op -ordr_by name"), "did you mean -order_by?");
  EXPECT_EQ(ForLine("op --step=2"),
            "in a line an option is one dash and its name, the value is the "
            "next word: -step 2");
  EXPECT_EQ(ForLine("op -order_by mircos"), "did you mean micros?");
  EXPECT_EQ(ForLine("op -select bytes,mircos"), "did you mean micros?");
  EXPECT_EQ(ForLine("op -step x"), "-step wants N");
  EXPECT_EQ(ForLine("op -step"), "-step wants N");
  EXPECT_EQ(ForLine("op -output tmeline:outfile=x"), "did you mean timeline?");
  EXPECT_EQ(ForLine("op -account_displayed_op_only maybe"),
            "-account_displayed_op_only wants BOOL: true, false");
  EXPECT_EQ(ForLine("op micros"),
            "options of op begin with a dash; help op has them");
  EXPECT_THAT(ForLine("op -order_by qqqqqq"),
              HasSubstr("-order_by wants ORDER: name, bytes"));
}

class SuggestNamesTest : public NamesTest {
 protected:
  std::string For(View view, const std::string& show) {
    ViewOptions options;
    options.show_names = {show};
    return SuggestNames(view, options, names_);
  }
};

TEST_F(SuggestNamesTest, OnePartIsRepaired) {
  EXPECT_EQ(For(View::kScope, "net/unti_2/conv"),
            "nothing is called 'net/unti_2/conv'; did you mean "
            "net/unit_2/conv?");
  EXPECT_EQ(For(View::kScope, "lost.*"),
            "nothing is called 'lost'; did you mean loss?");
  EXPECT_EQ(For(View::kOp, "Cnov2D"),
            "nothing is called 'Cnov2D'; did you mean Conv2D?");
}

TEST_F(SuggestNamesTest, APartIsNoWholeName) {
  EXPECT_EQ(For(View::kScope, "relu"),
            "'relu' would be the whole name; names that have it in them, as "
            "net/unit_1/relu, are '.*relu.*'");
}

TEST_F(SuggestNamesTest, NothingIsSaidOfWhatIsThere) {
  EXPECT_EQ(For(View::kScope, "loss"), "");
  EXPECT_EQ(For(View::kScope, "net"), "");
  EXPECT_EQ(For(View::kScope, ".*relu.*"), "");
  EXPECT_EQ(For(View::kScope, "[abc]+"), "");
  EXPECT_EQ(For(View::kScope, "quite something else"), "");
}

}  // namespace
}  // namespace tfprof
