#include "advisor/checker_help.h"

#include <string>

#include "advisor/fake_checkers_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CheckerHelpTest, OneChecker) {
  EXPECT_EQ(CheckerHelp({.checker = &kNewChecker, .rules = {}}),
            "NewChecker\n"
            "  What is looked at now.\n"
            "  Rules:\n"
            "    slow         Something took longer than it may. Threshold: "
            "most_micros =\n"
            "                 1000 (us).\n"
            "    odd          A name is odd.\n"
            "  Options:\n"
            "    most_micros  What takes longer is slow. Default: 1000 (us).\n"
            "    most_bytes   What is larger is large. Default: 1000000 "
            "(bytes).\n");
}

TEST(CheckerHelpTest, OneRule) {
  EXPECT_EQ(CheckerHelp({.checker = &kOldChecker, .rules = {"idle"}}),
            "idle, a rule of OldChecker\n"
            "  It was idle.\n"
            "  Its value: share of time\n"
            "  Its threshold: 0.5 (share)\n"
            "    Below it something is idle.\n"
            "  To set it: -checker_options Old.limit=0.5\n"
            "  To see it alone: advise all -checkers idle\n");
}

TEST(CheckerHelpTest, AllCheckersAreListedWithTheirMark) {
  const std::string help = CheckersHelp(kFakeCheckers);
  EXPECT_THAT(help, HasSubstr("\nOldChecker *\n"));
  EXPECT_THAT(CheckersHelp(kFakeHealthCheckers),
              HasSubstr("\nHurtChecker +\n  What is hurt.\n"));
  EXPECT_THAT(help, HasSubstr("\nNewChecker\n"));
  EXPECT_THAT(help, HasSubstr("    seen  Something was seen.\n"));
  EXPECT_THAT(CheckersMarkdown(kFakeCheckers),
              HasSubstr("\n| `idle` | It was idle. | share of time | `limit` "
                        "|\n"));
  EXPECT_THAT(CheckersMarkdown(kFakeCheckers),
              HasSubstr("\n| `New.most_bytes` | 1000000 | bytes | What is "
                        "larger is large. |\n"));
}

TEST(CheckerHelpTest, ARuleWithoutAValueHasNoThreshold) {
  EXPECT_EQ(CheckerHelp({.checker = &kNewChecker, .rules = {"odd"}}),
            "odd, a rule of NewChecker\n"
            "  A name is odd.\n"
            "  To see it alone: advise all -checkers odd\n");
}

TEST(CheckerHelpTest, ACheckerWithoutOptionsHasNoListOfThem) {
  EXPECT_EQ(CheckerHelp({.checker = &kBlindChecker, .rules = {}}),
            "BlindChecker\n"
            "  What cannot be seen.\n"
            "  Rules:\n"
            "    seen  Something was seen.\n");
}

TEST(CheckerHelpTest, ThePageSaysWhatDoctorRuns) {
  const std::string page = CheckersMarkdown(kFakeHealthCheckers);
  EXPECT_THAT(page, StartsWith("## Checkers and rules\n\n"));
  EXPECT_THAT(page, HasSubstr("\n### Rules of FitChecker\n\nWhat is well. Run "
                              "by `doctor`.\n"));
  EXPECT_THAT(page, HasSubstr("\n### Rules of OldChecker\n\nWhat was always "
                              "looked at.\n"));
}

}  // namespace
}  // namespace tfprof::advisor
