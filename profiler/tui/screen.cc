#include "profiler/tui/screen.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/tui/browser.h"
#include "profiler/tui/draw.h"
#include "profiler/tui/picture.h"
#include "profiler/tui/terminal_guard.h"
#include "profiler/tui/terminfo.h"
#include "util/text/character_width.h"
#include "util/text/utf8.h"

// After all others: it has macros with common names.
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

namespace tfprof::tui {
namespace {

constexpr wint_t kEscapeCharacter = 27;
constexpr wint_t kDeleteCharacter = 127;
constexpr short kHotPair = 1, kWarmPair = 2, kMessagePair = 3;

class CursesScreen {
 public:
  CursesScreen(const ScreenLook& look, TerminalGuard& guard) : look_(look) {
    screen_ = newterm(nullptr, stdout, stdin);
    if (screen_ == nullptr) return;
    set_term(screen_);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    // Over a slow line, the parts of a key come late.
    set_escdelay(100);
    curs_set(0);
    mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, nullptr);
    // A press is reported at once, and not held back for a double click.
    mouseinterval(0);
    if (look.color && has_colors()) {
      start_color();
      const bool defaults = use_default_colors() == OK;
      const short background = defaults ? -1 : COLOR_BLACK;
      init_pair(kHotPair, COLOR_RED, background);
      init_pair(kWarmPair, COLOR_YELLOW, background);
      init_pair(kMessagePair, COLOR_CYAN, background);
      colors_ = true;
    }
    refresh();
    guard.Started(LeaveText(), EnterText());
  }
  ~CursesScreen() {
    if (screen_ == nullptr) return;
    endwin();
    delscreen(screen_);
  }
  CursesScreen(const CursesScreen&) = delete;
  CursesScreen& operator=(const CursesScreen&) = delete;

  bool good() const { return screen_ != nullptr; }

  // Takes the size of the window from the terminal.
  void FindSize(Browser& browser) {
    struct winsize size = {};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 &&
        size.ws_col > 0) {
      resizeterm(size.ws_row, size.ws_col);
    }
    browser.Resize(static_cast<size_t>(getmaxx(stdscr)),
                   static_cast<size_t>(getmaxy(stdscr)));
  }

  // Everything is drawn again, not only the parts that have changed.
  void Forget() { clearok(curscr, TRUE); }

  void Show(const Picture& picture) {
    erase();
    for (size_t y = 0; y < picture.height; ++y) {
      for (const Picture::Span& span : picture.lines[y]) {
        Put(span.x, y, span.text, Attributes(span.style), picture.width);
      }
    }
    curs_set(picture.cursor ? 1 : 0);
    if (picture.cursor) {
      move(static_cast<int>(picture.cursor_y),
           static_cast<int>(picture.cursor_x));
    }
    refresh();
  }

  // The next key that was pressed; nullopt: none.
  std::optional<Key> NextKey() {
    while (true) {
      wint_t c = 0;
      const int kind = get_wch(&c);
      if (kind == ERR) return std::nullopt;
      std::optional<Key> key =
          kind == KEY_CODE_YES ? FunctionKey(c) : CharacterKey(c);
      if (key) return key;
    }
  }

 private:
  attr_t Attributes(Style style) const {
    const auto pair = [&](short number, attr_t otherwise) {
      return colors_ ? static_cast<attr_t>(COLOR_PAIR(number)) : otherwise;
    };
    switch (style) {
      case Style::kPlain:
        return A_NORMAL;
      case Style::kTitle:
      case Style::kSelected:
        return A_REVERSE;
      case Style::kHeading:
        return A_BOLD;
      case Style::kActive:
        return A_BOLD | A_UNDERLINE;
      case Style::kHot:
        return pair(kHotPair, A_BOLD);
      case Style::kWarm:
        return pair(kWarmPair, A_NORMAL);
      case Style::kDim:
        return look_.color ? A_DIM : A_NORMAL;
      case Style::kMarked:
        return A_UNDERLINE;
      case Style::kMessage:
        return pair(kMessagePair, A_BOLD) | A_BOLD;
    }
    return A_NORMAL;
  }

  // A character for which ncurses has other columns than the layout would move
  // the rest of the line: it is replaced.
  void Put(size_t x, size_t y, std::string_view text, attr_t attributes,
           size_t width) {
    std::wstring wide;
    size_t columns = 0;
    while (!text.empty() && x + columns < width) {
      const util::Utf8Character c = util::FirstUtf8(text);
      text.remove_prefix(c.size);
      const int takes = c.good ? util::CharacterWidth(c.code) : 1;
      const bool same =
          c.good && wcwidth(static_cast<wchar_t>(c.code)) == takes;
      if (same) {
        wide += static_cast<wchar_t>(c.code);
      } else {
        wide.append(static_cast<size_t>(takes), L'?');
      }
      columns += static_cast<size_t>(takes);
    }
    attrset(static_cast<int>(attributes));
    mvaddnwstr(static_cast<int>(y), static_cast<int>(x), wide.c_str(),
               static_cast<int>(wide.size()));
    attrset(A_NORMAL);
  }

  static std::optional<Key> FunctionKey(wint_t code) {
    using Code = Key::Code;
    switch (code) {
      case KEY_UP:
        return Key{.code = Code::kUp};
      case KEY_DOWN:
        return Key{.code = Code::kDown};
      case KEY_LEFT:
        return Key{.code = Code::kLeft};
      case KEY_RIGHT:
        return Key{.code = Code::kRight};
      case KEY_PPAGE:
        return Key{.code = Code::kPageUp};
      case KEY_NPAGE:
        return Key{.code = Code::kPageDown};
      case KEY_HOME:
        return Key{.code = Code::kHome};
      case KEY_END:
        return Key{.code = Code::kEnd};
      case KEY_ENTER:
        return Key{.code = Code::kEnter};
      case KEY_BTAB:
        return Key{.code = Code::kBackTab};
      case KEY_BACKSPACE:
        return Key{.code = Code::kBackspace};
      case KEY_MOUSE:
        return MouseKey();
      default:
        return std::nullopt;
    }
  }

  static std::optional<Key> MouseKey() {
    MEVENT event;
    if (getmouse(&event) != OK || event.x < 0 || event.y < 0) {
      return std::nullopt;
    }
    Key key = {.x = static_cast<size_t>(event.x),
               .y = static_cast<size_t>(event.y)};
    if (event.bstate & BUTTON4_PRESSED) {
      key.code = Key::Code::kWheelUp;
    } else if (event.bstate & BUTTON5_PRESSED) {
      key.code = Key::Code::kWheelDown;
    } else if (event.bstate & BUTTON1_PRESSED) {
      key.code = Key::Code::kClick;
    } else {
      return std::nullopt;
    }
    return key;
  }

  static std::optional<Key> CharacterKey(wint_t c) {
    using Code = Key::Code;
    switch (c) {
      case '\r':
      case '\n':
        return Key{.code = Code::kEnter};
      case '\t':
        return Key{.code = Code::kTab};
      case '\b':
      case kDeleteCharacter:
        return Key{.code = Code::kBackspace};
      case kEscapeCharacter:
        return Key{.code = Code::kEscape};
      default:
        break;
    }
    constexpr wint_t kControlU = 21;
    if (c < ' ' && c != kControlU) return std::nullopt;
    return Key{.text = Utf8Of(c)};
  }

  static std::string Utf8Of(wint_t c) {
    const auto part = [&](unsigned shift, unsigned mark, unsigned mask) {
      return static_cast<char>(mark | ((c >> shift) & mask));
    };
    if (c < 0x80) return {static_cast<char>(c)};
    if (c < 0x800) return {part(6, 0xc0, 0x1f), part(0, 0x80, 0x3f)};
    if (c < 0x10000) {
      return {part(12, 0xe0, 0x0f), part(6, 0x80, 0x3f), part(0, 0x80, 0x3f)};
    }
    return {part(18, 0xf0, 0x07), part(12, 0x80, 0x3f), part(6, 0x80, 0x3f),
            part(0, 0x80, 0x3f)};
  }

  const ScreenLook look_;
  SCREEN* screen_ = nullptr;
  bool colors_ = false;
};

// Waits for a key or a signal. False: the terminal is gone.
bool Wait(TerminalGuard& guard) {
  pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                  {.fd = guard.wake_fd(), .events = POLLIN, .revents = 0}};
  if (poll(fds, 2, -1) < 0) return errno == EINTR;
  guard.Drain();
  if ((fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return false;
  int bytes = 1;
  return (fds[0].revents & POLLIN) == 0 ||
         ioctl(STDIN_FILENO, FIONREAD, &bytes) != 0 || bytes > 0;
}

}  // namespace

absl::Status BrowseOnTerminal(const commands::Workspace& workspace,
                              const options::Options& options,
                              const ScreenLook& look,
                              util::Cancellation& cancellation) {
  absl::Status can = CheckTerminal();
  if (!can.ok()) return can;
  cancellation.Reset();
  Browser browser(workspace, options, &cancellation);
  const OwnTerminal own;
  TerminalGuard guard(cancellation);
  CursesScreen screen(look, guard);
  if (!screen.good()) {
    return absl::FailedPreconditionError("tui cannot use this terminal");
  }
  screen.FindSize(browser);
  bool more = false;  // keys may wait that were not looked at
  while (!browser.done()) {
    // Keys that wait come first: the screen shows only where they lead.
    while (const std::optional<Key> key = screen.NextKey()) {
      browser.Press(*key);
      more = browser.HasWork();
      if (browser.done() || more) break;
    }
    if (browser.done()) break;
    if (guard.TakeInterrupt()) {
      browser.Press({.code = Key::Code::kInterrupt});
      if (browser.done()) break;
    }
    if (guard.TakeContinued()) screen.Forget();
    if (guard.TakeResize()) screen.FindSize(browser);
    if (browser.HasWork()) screen.Show(Draw(browser, look.unicode));
    guard.BeginWork();
    while (browser.HasWork()) browser.DoWork();
    browser.MakeDetails(look.unicode);
    guard.EndWork();
    // It came too late to cancel anything.
    cancellation.Reset();
    screen.Show(Draw(browser, look.unicode));
    if (!std::exchange(more, false) && !Wait(guard)) break;
  }
  cancellation.Reset();
  return absl::OkStatus();
}

}  // namespace tfprof::tui
