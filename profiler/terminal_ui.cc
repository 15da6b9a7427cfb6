#include "profiler/terminal_ui.h"

#include <errno.h>
#include <unistd.h>

#include "fmt/format.h"
#include "profiler/line_editor.h"

namespace tfprof {
namespace {

// Names come from files; a node called "\x1b[2J" must not clear the screen.
// Controls are those of ASCII and, in UTF-8, U+0080 to U+009F.
std::string EscapeControls(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto u = static_cast<unsigned char>(text[i]);
    const auto next =
        static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (u == 0xc2 && next >= 0x80 && next < 0xa0) {
      safe += fmt::format("\\x{:02x}\\x{:02x}", u, next);
      ++i;
    } else if ((u < 0x20 && u != '\n' && u != '\t') || u == 0x7f) {
      safe += fmt::format("\\x{:02x}", u);
    } else {
      safe += text[i];
    }
  }
  return safe;
}

}  // namespace

TerminalUi::TerminalUi(FILE* input, Completer completer) : input_(input) {
  if (input == stdin && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
    editor_ = std::make_unique<LineEditor>(std::move(completer));
  }
}

TerminalUi::~TerminalUi() = default;

bool TerminalUi::ReadLine(std::string_view prompt, std::string& line) {
  if (editor_ != nullptr) return editor_->ReadLine(prompt, line);
  char* text = nullptr;
  size_t capacity = 0;
  const ssize_t size = getline(&text, &capacity, input_);
  if (size >= 0) {
    line.assign(text, static_cast<size_t>(size));
    if (!line.empty() && line.back() == '\n') line.pop_back();
    if (!line.empty() && line.back() == '\r') line.pop_back();
  }
  free(text);
  return size >= 0;
}

void TerminalUi::StdoutSink::Write(std::string_view bytes) {
  std::string safe;
  if (is_terminal_) {
    safe = EscapeControls(bytes);
    bytes = safe;
  }
  if (fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() &&
      error_ == 0) {
    error_ = errno;
  }
}

void TerminalUi::StdoutSink::Flush() {
  if (fflush(stdout) != 0 && error_ == 0) error_ = errno;
}

void TerminalUi::Flush() { stdout_.Flush(); }

void TerminalUi::Error(std::string_view text) {
  // In the order in which a person sees things happen.
  Flush();
  const std::string safe = EscapeControls(text);
  fwrite(safe.data(), 1, safe.size(), stderr);
}

}  // namespace tfprof
