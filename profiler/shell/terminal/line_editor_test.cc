#include "profiler/shell/terminal/line_editor.h"

#include <sys/stat.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/tui/pty_testing.h"

namespace tfprof::shell {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LineEditorTest : public testing::Test {
 protected:
  void SetUp() override {
    home_ = std::filesystem::path(testing::TempDir()) / "line_editor";
    std::filesystem::remove_all(home_);
    std::filesystem::create_directories(home_);
  }

  // Reads lines until the end of input. The report has each line in brackets,
  // and "end".
  tui::PtyResult Type(const std::vector<std::string>& keys,
                      const LineEditor::Completer& completer = {}) {
    return tui::RunInTerminal(keys, [&](FILE* report) {
      setenv("TERM", "xterm", 1);
      setenv("XDG_STATE_HOME", home_.c_str(), 1);
      setenv("HOME", home_.c_str(), 1);
      setlocale(LC_CTYPE, "C.UTF-8");
      LineEditor editor;
      editor.SetCompleter(completer);
      std::string line;
      while (editor.ReadLine(tui::kTestPrompt, line)) {
        fprintf(report, "[%s]", line.c_str());
      }
      fputs("end", report);
    });
  }

  std::filesystem::path history() const { return home_ / "tfprof" / "history"; }

  std::filesystem::path home_;
};

// A completer that gives the same answer for every line.
LineEditor::Completer Always(const Completion& completion) {
  return [completion](std::string_view) { return completion; };
}

constexpr char kCtrlC[] = "\x03";
constexpr char kCtrlD[] = "\x04";
constexpr char kCtrlP[] = "\x10";

TEST_F(LineEditorTest, LinesComeWithoutTheirNewline) {
  EXPECT_EQ(Type({"op -max_depth 1\r", "\r", kCtrlD}).report,
            "[op -max_depth 1][]end");
}

TEST_F(LineEditorTest, KeysOfEmacsEditTheLine) {
  // Ctrl-A: the beginning; Ctrl-E: the end; Ctrl-H: deletes.
  EXPECT_EQ(Type({"elpx\x08\x01h\x05 op\r", kCtrlD}).report, "[help op]end");
}

TEST_F(LineEditorTest, CtrlCDropsTheLine) {
  EXPECT_EQ(Type({std::string("abc") + kCtrlC, "op\r", kCtrlD}).report,
            "[op]end");
}

TEST_F(LineEditorTest, CharactersMayHaveSeveralBytes) {
  EXPECT_EQ(Type({"naïve/日本\r", kCtrlD}).report, "[naïve/日本]end");
}

TEST_F(LineEditorTest, HistoryGivesLinesBack) {
  EXPECT_EQ(
      Type({"one\r", "two\r", std::string(kCtrlP) + kCtrlP + "\r", kCtrlD})
          .report,
      "[one][two][one]end");
}

TEST_F(LineEditorTest, HistoryIsKeptForTheNextSession) {
  Type({"first\r", kCtrlD});
  EXPECT_EQ(Type({std::string(kCtrlP) + "\r", kCtrlD}).report, "[first]end");
}

TEST_F(LineEditorTest, OnlyTheUserMayReadTheHistory) {
  Type({"secret\r", kCtrlD});
  struct stat info;
  ASSERT_EQ(stat(history().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  std::ifstream file(history());
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("secret"));
}

TEST_F(LineEditorTest, EmptyLinesAreNotInTheHistory) {
  EXPECT_EQ(Type({"one\r", "\r", std::string(kCtrlP) + "\r", kCtrlD}).report,
            "[one][][one]end");
}

TEST_F(LineEditorTest, WithoutAPlaceTheHistoryIsNotKept) {
  std::ofstream(home_ / "tfprof") << "a file";
  EXPECT_EQ(Type({"one\r", std::string(kCtrlP) + "\r", kCtrlD}).report,
            "[one][one]end");
  EXPECT_FALSE(std::filesystem::exists(history()));
}

TEST_F(LineEditorTest, TabCompletesAWord) {
  const tui::PtyResult result =
      Type({"gr\t-step 1\r", kCtrlD},
           Always({.begin = 0, .common = "graph", .whole = true, .total = 1}));
  EXPECT_EQ(result.report, "[graph -step 1]end");
}

TEST_F(LineEditorTest, TabReplacesTheWordFromWhereItDiffers) {
  // A blank in a name needs a quote before it.
  const tui::PtyResult result = Type(
      {"save two\t\r", kCtrlD},
      Always({.begin = 5, .common = "'two words'", .whole = true, .total = 1}));
  EXPECT_EQ(result.report, "[save 'two words' ]end");
}

TEST_F(LineEditorTest, TabNeverInsertsPartOfACharacter) {
  // "日" and "月" have only a byte in common.
  const tui::PtyResult result =
      Type({"n/\t\r", kCtrlD}, Always({.begin = 0,
                                       .common = "n/\xe6",
                                       .listed = {"日", "月"},
                                       .total = 2}));
  EXPECT_EQ(result.report, "[n/]end");
}

TEST_F(LineEditorTest, ASecondTabListsTheCandidates) {
  // The prompt comes again behind the list: the line ends only then. A Ctrl-D
  // that is typed while the editor gives the terminal back would be lost.
  const tui::PtyResult result =
      Type({"s\t", "\r", kCtrlD}, Always({.begin = 0,
                                          .common = "s",
                                          .listed = {"scope", "set"},
                                          .total = 12345}));
  EXPECT_THAT(result.screen, HasSubstr("scope  set\r\n"));
  EXPECT_THAT(result.screen, HasSubstr("… 12,343 more\r\n"));
  EXPECT_EQ(result.report, "[s]end");
}

TEST_F(LineEditorTest, TabWithoutCandidatesKeepsTheLine) {
  EXPECT_EQ(Type({"x\ty\r", kCtrlD}, Always({})).report, "[xy]end");
  // It works without a completer too.
  EXPECT_EQ(Type({"x\ty\r", kCtrlD}).report, "[xy]end");
}

TEST_F(LineEditorTest, TheCompleterGetsTheLineUpToTheCursor) {
  std::string seen;
  const tui::PtyResult result =
      tui::RunInTerminal({"op x\x02\x02\t\r"}, [&](FILE* out) {
        setenv("TERM", "xterm", 1);
        setenv("XDG_STATE_HOME", home_.c_str(), 1);
        LineEditor editor;
        editor.SetCompleter([&](std::string_view line) {
          seen = line;
          return Completion();
        });
        std::string line;
        editor.ReadLine(tui::kTestPrompt, line);
        fprintf(out, "<%s> %s", seen.c_str(), line.c_str());
      });
  EXPECT_EQ(result.report, "<op> op x");
}

}  // namespace
}  // namespace tfprof::shell
