#include "profiler/terminal_ui.h"

#include <errno.h>
#include <unistd.h>

#include "profiler/line_editor.h"

namespace tfprof {

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
  std::string safe;
  safe.reserve(text.size());
  // Names come from files; a node called "\x1b[2J" must not clear the screen.
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if ((u < 0x20 && c != '\n' && c != '\t') || u == 0x7f) {
      static constexpr char kHex[] = "0123456789abcdef";
      safe += "\\x";
      safe += kHex[u >> 4];
      safe += kHex[u & 15];
    } else {
      safe += c;
    }
  }
  fwrite(safe.data(), 1, safe.size(), stderr);
}

}  // namespace tfprof
