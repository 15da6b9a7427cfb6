#include "profiler/shell/terminal/terminal_ui.h"

#include <errno.h>
#include <fcntl.h>

#include <clocale>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/tui/pty_testing.h"

namespace tfprof::shell {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

// ---- Not on a terminal

std::vector<std::string> LinesOf(std::string text) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(
      fmemopen(text.data(), text.size(), "r"), fclose);
  TerminalUi ui(file.get());
  EXPECT_FALSE(ui.interactive());
  std::vector<std::string> lines;
  std::string line;
  while (ui.ReadLine("prompt> ", line)) lines.push_back(line);
  return lines;
}

TEST(ScriptTest, LinesComeWithoutTheirEnds) {
  EXPECT_THAT(LinesOf("op\nscope\n"), ElementsAre("op", "scope"));
  EXPECT_THAT(LinesOf("op\r\n\r\n"), ElementsAre("op", ""));
  EXPECT_THAT(LinesOf("\nlast"), ElementsAre("", "last"));
  // Only one return is part of the end.
  EXPECT_THAT(LinesOf("a\r\r\n"), ElementsAre("a\r"));
}

TEST(ScriptTest, AZeroByteDoesNotEndALine) {
  const std::string line("a\0b", 3);
  EXPECT_THAT(LinesOf(line + "\n"), ElementsAre(line));
}

TEST(ScriptTest, NoPromptIsPrinted) {
  CaptureStdout();
  LinesOf("op\n");
  EXPECT_EQ(GetCapturedStdout(), "");
}

TEST(PipeTest, ReportsAreWrittenAsTheyAre) {
  CaptureStdout();
  TerminalUi ui(stdin);
  ui.out().Write("name \x1b[2J\n");
  ui.Show({}, [](util::Sink& sink) { sink.Write("shown\n"); });
  ui.Flush();
  EXPECT_EQ(GetCapturedStdout(), "name \x1b[2J\nshown\n");
  EXPECT_EQ(ui.output_error(), 0);
}

TEST(PipeTest, MessagesAreEscaped) {
  CaptureStderr();
  TerminalUi ui(stdin);
  ui.Error("bad name \x1b[2J\n");
  EXPECT_EQ(GetCapturedStderr(), "bad name \\x1b[2J\n");
}

TEST(PipeTest, TheScreenIsNoTerminal) {
  CaptureStdout();
  const TerminalUi ui(stdin);
  setenv("COLUMNS", "123", 1);
  setenv("LINES", "45", 1);
  Screen screen = ui.screen();
  EXPECT_FALSE(screen.terminal);
  EXPECT_FALSE(screen.color);
  EXPECT_FALSE(screen.pager);
  EXPECT_EQ(screen.width, 123u);
  EXPECT_EQ(screen.height, 45u);
  // Sizes that are no numbers.
  setenv("COLUMNS", "wide", 1);
  setenv("LINES", "-3", 1);
  screen = ui.screen();
  EXPECT_EQ(screen.width, 80u);
  EXPECT_EQ(screen.height, 24u);
  unsetenv("COLUMNS");
  unsetenv("LINES");
  GetCapturedStdout();
}

TEST(PipeTest, TheFirstErrorOfStdoutIsKept) {
  fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  const int full = open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  dup2(full, STDOUT_FILENO);
  int error = 0;
  {
    TerminalUi ui(stdin);
    ui.out().Write("report");
    ui.Flush();
    error = ui.output_error();
  }
  dup2(saved, STDOUT_FILENO);
  clearerr(stdout);
  close(saved);
  close(full);
  EXPECT_EQ(error, ENOSPC);
}

// ---- On a terminal

// The screen as a terminal with this TERM has it: "terminal width height color
// pager".
std::string ScreenWith(const std::string& term, bool no_color) {
  return tui::RunInTerminal(
             {},
             [&](FILE* report) {
               setenv("TERM", term.c_str(), 1);
               setenv("PAGER", "more", 1);
               unsetenv("NO_COLOR");
               if (no_color) setenv("NO_COLOR", "1", 1);
               const TerminalUi ui(stdin);
               const Screen screen = ui.screen();
               fprintf(report, "%d %zu %zu %d %d", screen.terminal,
                       screen.width, screen.height, screen.color, screen.pager);
             })
      .report;
}

TEST(TerminalTest, TheScreenIsThatOfTheWindow) {
  EXPECT_EQ(ScreenWith("xterm", false), "1 100 30 1 1");
}

TEST(TerminalTest, ColoursCanBeSwitchedOff) {
  EXPECT_EQ(ScreenWith("xterm", true), "1 100 30 0 1");
  // A terminal without a name or a dumb one has no pager either.
  EXPECT_EQ(ScreenWith("", false), "1 100 30 0 0");
  EXPECT_EQ(ScreenWith("dumb", false), "1 100 30 0 0");
}

TEST(TerminalTest, ControlsInReportsAreEscapedAndShownTextIsNot) {
  const tui::PtyResult result = tui::RunInTerminal({}, [](FILE*) {
    setenv("TERM", "xterm", 1);
    TerminalUi ui(stdin);
    ui.out().Write("a\x1b[2Jb\n");
    ui.Show({}, [](util::Sink& sink) { sink.Write("\x1b[31mred\x1b[m\n"); });
  });
  EXPECT_EQ(result.screen, "a\\x1b[2Jb\r\n\x1b[31mred\x1b[m\r\n");
}

TEST(TerminalTest, LongReportsGoThroughThePager) {
  const tui::PtyResult result = tui::RunInTerminal({}, [](FILE*) {
    setenv("TERM", "xterm", 1);
    setenv("PAGER", "sed s/^/paged:/", 1);
    TerminalUi ui(stdin);
    ui.Show({.wanted = true},
            [](util::Sink& sink) { sink.Write("one\ntwo\n"); });
  });
  EXPECT_EQ(result.screen, "paged:one\r\npaged:two\r\n");
}

TEST(TerminalTest, LinesAreEditedAndCompletedNamesEscaped) {
  const tui::PtyResult result = tui::RunInTerminal({"x\t\r"}, [](FILE* report) {
    setenv("TERM", "xterm", 1);
    setenv("XDG_STATE_HOME", testing::TempDir().c_str(), 1);
    setlocale(LC_CTYPE, "C.UTF-8");
    TerminalUi ui(stdin);
    fprintf(report, "%d ", ui.interactive());
    ui.SetCompleter([](std::string_view) {
      return Completion{
          .begin = 0, .common = "x", .listed = {"x\x1b[2J", "xy"}, .total = 2};
    });
    std::string line;
    fprintf(report, "%d %s", ui.ReadLine(tui::kTestPrompt, line), line.c_str());
  });
  EXPECT_EQ(result.report, "1 1 x");
  EXPECT_THAT(result.screen, HasSubstr("x\\x1b[2J  xy\r\n"));
}

}  // namespace
}  // namespace tfprof::shell
