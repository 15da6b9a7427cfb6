#include "profiler/tui/terminfo.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/tui/pty_testing.h"

// After all others: they have macros with common names.
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>

namespace tfprof::tui {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// What a function says in a terminal of this kind, and the bytes that the
// terminal got.
PtyResult In(const char* term, const std::function<std::string()>& function) {
  return RunInTerminal({}, [&](FILE* report) {
    if (term == nullptr) {
      unsetenv("TERM");
    } else {
      setenv("TERM", term, 1);
    }
    fputs(function().c_str(), report);
  });
}

PtyResult Checked(const char* term) {
  return In(term, [] { return std::string(CheckTerminal().message()); });
}

TEST(CheckTerminalTest, SaysWhatIsMissingAndWritesNothing) {
  struct Case {
    const char* term;
    const char* message;
  };
  for (const Case& c :
       {Case{nullptr, "TERM is not set"}, Case{"", "TERM is not set"},
        Case{"no-such-terminal", "terminal no-such-terminal"},
        Case{"dumb", "on which text can be placed, and dumb is none"}}) {
    const PtyResult checked = Checked(c.term);
    EXPECT_THAT(checked.report, HasSubstr(c.message));
    EXPECT_EQ(checked.screen, "");
  }
  for (const char* term : {"xterm", "linux", "vt100"}) {
    const PtyResult checked = Checked(term);
    EXPECT_EQ(checked.report, "") << term;
    EXPECT_EQ(checked.screen, "") << term;
  }
}

TEST(CheckTerminalTest, FilesAreNoTerminal) {
  const PtyResult checked = In("xterm", [] {
    EXPECT_NE(freopen("/dev/null", "r", stdin), nullptr);
    return std::string(CheckTerminal().message());
  });
  EXPECT_EQ(checked.report,
            "tui needs a terminal: stdin and stdout must be one");
}

// The texts of a terminal.
std::string Texts(const char* term) {
  return In(term,
            [] {
              SCREEN* const screen = newterm(nullptr, stdout, stdin);
              if (screen == nullptr) return std::string("none");
              std::string texts = EnterText() + "|" + LeaveText();
              delscreen(screen);
              return texts;
            })
      .report;
}

TEST(TerminalTextTest, LeavingUndoesEntering) {
  const std::string texts = Texts("xterm");
  const std::string enter = texts.substr(0, texts.find('|'));
  const std::string leave = texts.substr(texts.find('|') + 1);
  EXPECT_THAT(enter, HasSubstr("\x1b[?1049h"));
  EXPECT_THAT(leave, HasSubstr("\x1b[?1049l"));
  // Reports of the mouse, and the cursor.
  EXPECT_THAT(enter, HasSubstr("1000h"));
  EXPECT_THAT(leave, HasSubstr("1000l"));
  EXPECT_THAT(enter, HasSubstr("\x1b[?25l"));
  EXPECT_THAT(leave, HasSubstr("\x1b[?25h"));
}

TEST(TerminalTextTest, WithoutASecondScreenALineEndsTheFirst) {
  const std::string texts = Texts("vt100");
  EXPECT_THAT(texts, EndsWith("\r\n"));
  EXPECT_THAT(texts, Not(HasSubstr("1000")));
  // A description asks for delays as "$<5>".
  EXPECT_THAT(texts, Not(HasSubstr("$<")));
}

TEST(OwnTerminalTest, TheTerminalOfOthersIsTheirsAgain) {
  const PtyResult result = In("xterm", [] {
    int found = 0;
    setupterm(nullptr, 1, &found);
    const TERMINAL* const before = cur_term;
    std::string seen;
    {
      const OwnTerminal own;
      seen += cur_term == nullptr ? "none" : "some";
    }
    return seen + (cur_term == before ? ", the same" : ", another");
  });
  EXPECT_EQ(result.report, "none, the same");
}

}  // namespace
}  // namespace tfprof::tui
