#include "profiler/commands/line.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Kind = Redirection::Kind;

struct Case {
  std::string line;
  std::vector<std::string> words;
  Kind kind = Kind::kNone;
  std::string target;
};

void Expect(const Case& c) {
  SCOPED_TRACE(c.line);
  const absl::StatusOr<Line> line = SplitLine(c.line);
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->words, c.words);
  EXPECT_EQ(line->redirection.kind, c.kind);
  EXPECT_EQ(line->redirection.target, c.target);
}

TEST(SplitLineTest, BlanksAroundASignMakeNoDifference) {
  for (const char* line : {"op | head -1", "op|head -1", "op |head -1",
                           "op| head -1", "  op  |  head -1  "}) {
    Expect({line, {"op"}, Kind::kPipe, "head -1"});
  }
  for (const char* line : {"op > f", "op>f", "op >f", "op> f"}) {
    Expect({line, {"op"}, Kind::kFile, "f"});
  }
  for (const char* line : {"op >> f", "op>>f", "op >>f", "op>> f"}) {
    Expect({line, {"op"}, Kind::kAppend, "f"});
  }
}

TEST(SplitLineTest, SignsRedirectAfterOptionsAndArguments) {
  Expect({"op -order_by micros|head",
          {"op", "-order_by", "micros"},
          Kind::kPipe,
          "head"});
  Expect(
      {"op -order_by=micros>f", {"op", "-order_by=micros"}, Kind::kFile, "f"});
  Expect({"top 5|head", {"top", "5"}, Kind::kPipe, "head"});
  Expect({"ls >f", {"ls"}, Kind::kFile, "f"});
  Expect({"op -agent>f", {"op", "-agent"}, Kind::kFile, "f"});
}

TEST(SplitLineTest, ValuesOfExpressionsKeepSignsThatDoNotStandAlone) {
  Expect({"op -show_name_regexes a|b", {"op", "-show_name_regexes", "a|b"}});
  Expect({"op -show_name_regexes >z", {"op", "-show_name_regexes", ">z"}});
  Expect({"op -show_name_regexes=|z", {"op", "-show_name_regexes=|z"}});
  Expect({"op -show_name_regexes 'a | b',x|y,>z",
          {"op", "-show_name_regexes", "'a | b',x|y,>z"}});
  Expect({"check a b -fail-if op:x.micros>5",
          {"check", "a", "b", "-fail-if", "op:x.micros>5"}});
  // The word after the value is an ordinary word.
  Expect({"op -show_name_regexes a|b >f",
          {"op", "-show_name_regexes", "a|b"},
          Kind::kFile,
          "f"});
  Expect({"op -show_name_regexes a|b | head",
          {"op", "-show_name_regexes", "a|b"},
          Kind::kPipe,
          "head"});
}

TEST(SplitLineTest, NamesKeepSignsInsideOfThem) {
  Expect({"show a->b", {"show", "a->b"}});
  Expect({"cd code:train.py:3:<module>", {"cd", "code:train.py:3:<module>"}});
  Expect({"show a->b>f", {"show", "a->b>f"}});
  Expect({"show a->b >f", {"show", "a->b"}, Kind::kFile, "f"});
  Expect({"show a -step 1>f", {"show", "a", "-step", "1"}, Kind::kFile, "f"});
}

TEST(SplitLineTest, QuotesAndComments) {
  Expect({"save 'a>b'", {"save", "'a>b'"}});
  Expect({"save a'|'b", {"save", "a'|'b"}});
  Expect({"op > 'my file'", {"op"}, Kind::kFile, "my file"});
  Expect({"op # > f", {"op"}});
  Expect({"op > f # a comment", {"op"}, Kind::kFile, "f"});
  // The other shell reads quotes and comments itself.
  Expect({"op | grep 'a b' # x", {"op"}, Kind::kPipe, "grep 'a b' # x"});
  Expect({"op | grep a > f", {"op"}, Kind::kPipe, "grep a > f"});
}

TEST(SplitLineTest, EmptyLinesAndCommentsHaveNoWords) {
  Expect({"", {}});
  Expect({"   ", {}});
  Expect({"# | x", {}});
}

TEST(SplitLineTest, AMissingCommandOrTargetIsAnError) {
  const std::pair<std::string, std::string> cases[] = {
      {"| cat", "there is no command before '|'"},
      {">f", "there is no command before '>'"},
      {"op >", "'>' needs the name of one file after it"},
      {"op >>", "'>>' needs the name of one file after it"},
      {"op > a b", "'>' needs the name of one file after it"},
      {"op|", "'|' needs a command after it"},
  };
  for (const auto& [line, message] : cases) {
    const absl::Status status = SplitLine(line).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << line;
    EXPECT_EQ(std::string(status.message()), message) << line;
  }
}

}  // namespace
}  // namespace tfprof::commands
