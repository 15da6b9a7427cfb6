#include "profiler/shell/terminal/line_editor.h"

#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "fmt/format.h"
#include "profiler/shell/terminal/regex_text.h"
#include "util/text/text_layout.h"

namespace tfprof::shell {
namespace {

constexpr int kHistoryEntries = 1000;

volatile sig_atomic_t interrupted = 0;

void OnInterrupt(int) { interrupted = 1; }

// The signal mask outside of ReadLine(). Inside, SIGINT is delivered only while
// ReadChar() waits, so that none comes between the check of `interrupted` and
// the wait.
sigset_t mask_outside;

// Waits for input or a signal.
int WaitForInput() {
  fd_set input;
  FD_ZERO(&input);
  FD_SET(STDIN_FILENO, &input);
  return pselect(STDIN_FILENO + 1, &input, nullptr, nullptr, nullptr,
                 &mask_outside);
}

// Reads a character of the terminal's encoding (UTF-8). libedit's own reader
// goes on after an interrupted read; this one drops the line.
int ReadChar(EditLine*, wchar_t* out) {
  mbstate_t state = {};
  for (;;) {
    char c;
    ssize_t n = WaitForInput();
    if (n > 0) n = read(STDIN_FILENO, &c, 1);
    if (n < 0 && errno == EINTR && !interrupted) continue;  // a resize
    if (n <= 0) return n == 0 ? 0 : -1;
    const size_t used = mbrtowc(out, &c, 1, &state);
    if (used == static_cast<size_t>(-2)) continue;  // more bytes to come
    if (used == static_cast<size_t>(-1)) *out = L'?';
    if (used == 0) *out = L'\0';
    return 1;
  }
}

// "" if the history cannot be kept.
std::string HistoryPath() {
  const char* state = getenv("XDG_STATE_HOME");
  const char* home = getenv("HOME");
  std::filesystem::path dir;
  if (state != nullptr && state[0] == '/') {
    dir = state;
  } else if (home != nullptr && home[0] == '/') {
    dir = std::filesystem::path(home) / ".local" / "state";
  } else {
    return "";
  }
  dir /= "tfprof";
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  return error ? "" : (dir / "history").string();
}

// The last character of `text`, or the bytes that would be one.
std::string_view LastCharacter(std::string_view text) {
  size_t begin = text.size() - 1;
  while (begin > 0 &&
         (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) {
    --begin;
  }
  return text.substr(begin);
}

int Characters(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

// "12,345".
std::string Grouped(size_t number) {
  std::string digits = fmt::format("{}", number);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

// Prints them in as many columns as fit into the terminal.
void PrintCandidates(const Completion& completion) {
  constexpr size_t kGap = 2;
  winsize window = {};
  size_t width = 80;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
    width = window.ws_col;
  }
  size_t widest = 0;
  for (const std::string& name : completion.listed) {
    widest = std::max(widest, util::Columns(name));
  }
  const size_t count = completion.listed.size();
  const size_t columns = std::clamp<size_t>(
      (width + kGap - 1) / (widest + kGap), 1, std::max<size_t>(count, 1));
  const size_t rows = (count + columns - 1) / columns;
  std::string text = "\n";
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = row; i < count; i += rows) {
      const bool last = i + rows >= count;
      util::AppendPadded(completion.listed[i], last ? 0 : widest + kGap, &text);
    }
    text += '\n';
  }
  if (completion.total > count) {
    text += fmt::format("… {} more\n", Grouped(completion.total - count));
  }
  fputs(text.c_str(), stdout);
}

}  // namespace

LineEditor::LineEditor()
    : history_path_(HistoryPath()),
      edit_(el_init("tfprof", stdin, stdout, stderr)),
      history_(history_init()) {
  HistEvent event;
  history(history_, &event, H_SETSIZE, kHistoryEntries);
  history(history_, &event, H_SETUNIQUE, 1);
  if (!history_path_.empty()) {
    history(history_, &event, H_LOAD, history_path_.c_str());
  }
  el_set(edit_, EL_CLIENTDATA, this);
  el_set(edit_, EL_PROMPT, &LineEditor::Prompt);
  el_set(edit_, EL_EDITOR, "emacs");
  el_set(edit_, EL_HIST, ::history, history_);
  el_set(edit_, EL_GETCFN, &ReadChar);
  el_set(edit_, EL_ADDFN, "tfprof-complete", "Complete the line",
         &LineEditor::Complete);
  el_set(edit_, EL_BIND, "^I", "tfprof-complete", nullptr);
  el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_source(edit_, nullptr);  // ~/.editrc
}

LineEditor::~LineEditor() {
  history_end(history_);
  el_end(edit_);
}

char* LineEditor::Prompt(EditLine* edit) {
  void* self = nullptr;
  el_get(edit, EL_CLIENTDATA, &self);
  return static_cast<LineEditor*>(self)->prompt_.data();
}

const char* LineEditor::Type(int& size) {
  interrupted = 0;
  struct sigaction action = {}, before;
  action.sa_handler = OnInterrupt;  // without SA_RESTART: read() returns
  sigaction(SIGINT, &action, &before);
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, &mask_outside);
  // Before the prompt: once the user sees it, the terminal must not handle
  // Ctrl-D itself any more.
  el_set(edit_, EL_PREP_TERM, 1);
  const char* text = el_gets(edit_, &size);
  pthread_sigmask(SIG_SETMASK, &mask_outside, nullptr);
  sigaction(SIGINT, &before, nullptr);
  return size > 0 ? text : nullptr;
}

bool LineEditor::ReadLine(std::string_view prompt, std::string& line) {
  prompt_ = prompt;
  line.clear();
  int size = 0;
  const char* text = nullptr;
  while ((text = Type(size)) == nullptr) {
    fputs("\n", stdout);
    if (!interrupted) return false;
    el_reset(edit_);
  }
  line.assign(text, static_cast<size_t>(size));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
    line.pop_back();
  }
  if (!line.empty()) {
    HistEvent event;
    history(history_, &event, H_ENTER, line.c_str());
    if (!history_path_.empty()) {
      // Only the user may read what they typed.
      const mode_t mask = umask(077);
      history(history_, &event, H_SAVE, history_path_.c_str());
      umask(mask);
    }
  }
  return true;
}

unsigned char LineEditor::Complete(EditLine* edit, int) {
  void* client = nullptr;
  el_get(edit, EL_CLIENTDATA, &client);
  const auto* self = static_cast<LineEditor*>(client);
  if (!self->completer_) return CC_REFRESH_BEEP;
  const LineInfo* info = el_line(edit);
  const std::string line(info->buffer, info->cursor);
  const Completion completion = self->completer_(line);
  if (completion.total == 0) return CC_REFRESH_BEEP;
  const std::string text = completion.common + (completion.whole ? " " : "");
  const std::string_view typed =
      std::string_view(line).substr(completion.begin);
  if (text != typed) {
    // Replace the text from the first character that differs.
    size_t same = static_cast<size_t>(
        std::mismatch(typed.begin(), typed.end(), text.begin(), text.end())
            .first -
        typed.begin());
    const auto goes_on = [](std::string_view s, size_t at) {
      return at < s.size() &&
             (static_cast<unsigned char>(s[at]) & 0xc0) == 0x80;
    };
    while (same > 0 && (goes_on(typed, same) || goes_on(text, same))) --same;
    el_deletestr(edit, Characters(typed.substr(same)));
    std::string rest = text.substr(same);
    // Candidates may differ inside of a character: insert whole ones only.
    while (!rest.empty() && CharacterSize(LastCharacter(rest)) == 0) {
      rest.pop_back();
    }
    el_insertstr(edit, rest.c_str());
    return CC_REFRESH;
  }
  if (completion.total == 1) return CC_REFRESH;
  PrintCandidates(completion);
  return CC_REDISPLAY;
}

}  // namespace tfprof::shell
