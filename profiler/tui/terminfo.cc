#include "profiler/tui/terminfo.h"

#include <unistd.h>

#include <cstdlib>

#include "fmt/format.h"

// After all others: they have macros with common names.
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>

namespace tfprof::tui {
namespace {

std::string TermName() {
  const char* term = getenv("TERM");
  return term == nullptr ? "" : term;
}

// A string of the terminal's description; "" if it has none.
std::string Capability(const char* name) {
  // The functions of terminfo take names that they do not change.
  const char* text = tigetstr(const_cast<char*>(name));
  const bool there = text != nullptr && text != reinterpret_cast<char*>(-1);
  return there ? text : "";
}

// tputs() has no argument for its function.
std::string* collected = nullptr;

// Removes the delays that a description asks for.
std::string WithoutDelays(const std::string& text) {
  std::string out;
  collected = &out;
  tputs(text.c_str(), 1, [](int c) {
    *collected += static_cast<char>(c);
    return c;
  });
  collected = nullptr;
  return out;
}

// Turns reports of the mouse on or off: ncurses does the same.
std::string MouseText(bool on) {
  // Descriptions that have a key for the mouse and not this text mean xterm's.
  std::string mouse = Capability("XM");
  if (mouse.empty() && !Capability("kmous").empty()) {
    mouse = "\x1b[?1000%?%p1%{1}%=%th%el%;";
  }
  if (mouse.empty()) return "";
  const char* text = tparm(mouse.c_str(), on ? 1 : 0, 0, 0, 0, 0, 0, 0, 0, 0);
  return text == nullptr ? "" : text;
}

}  // namespace

// The texts that ncurses writes at its beginning and end, for the handlers of
// signals.
std::string LeaveText() {
  std::string text = MouseText(false);
  for (const char* name : {"rmkx", "sgr0", "op", "cnorm"}) {
    text += Capability(name);
  }
  const std::string normal = Capability("rmcup");
  return WithoutDelays(text + normal) + (normal.empty() ? "\r\n" : "");
}

std::string EnterText() {
  std::string text;
  for (const char* name : {"smcup", "smkx", "civis"}) text += Capability(name);
  return WithoutDelays(text + MouseText(true));
}

OwnTerminal::OwnTerminal() : before_(set_curterm(nullptr)) {}

OwnTerminal::~OwnTerminal() { set_curterm(static_cast<TERMINAL*>(before_)); }

absl::Status CheckTerminal() {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0) {
    return absl::FailedPreconditionError(
        "tui needs a terminal: stdin and stdout must be one");
  }
  const std::string term = TermName();
  if (term.empty()) {
    return absl::FailedPreconditionError(
        "tui needs to know the terminal: TERM is not set");
  }
  const OwnTerminal own;
  int found = 0;
  if (setupterm(nullptr, STDOUT_FILENO, &found) != OK) {
    return absl::FailedPreconditionError(
        found < 0
            ? fmt::format("tui needs a description of the terminal {}, and "
                          "this machine has no terminfo database",
                          term)
            : fmt::format("tui needs a description of the terminal {}, and "
                          "terminfo has none; set TERM to what it has",
                          term));
  }
  const bool places =
      !Capability("cup").empty() && !Capability("clear").empty();
  del_curterm(cur_term);
  if (places) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("tui needs a terminal on which text can be placed, and {} is "
                  "none",
                  term));
}

}  // namespace tfprof::tui
