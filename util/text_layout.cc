#include "util/text_layout.h"

#include <algorithm>

namespace tfprof {

size_t Columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void AppendPadded(std::string_view text, size_t columns, std::string* out) {
  *out += text;
  out->append(columns - std::min(columns, Columns(text)), ' ');
}

void AppendWrapped(std::string_view text, size_t indent, std::string* out) {
  size_t column = indent;
  const auto new_line = [&] {
    *out += '\n';
    out->append(indent, ' ');
    column = indent;
  };
  while (!text.empty()) {
    const size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    const size_t end = std::min(text.find_first_of(" \n", blanks), text.size());
    const std::string_view word = text.substr(blanks, end - blanks);
    const size_t columns = Columns(word);
    if (!word.empty()) {
      if (column > indent && column + blanks + columns > kPageColumns) {
        new_line();
      } else {
        out->append(blanks, ' ');
        column += blanks;
      }
      *out += word;
      column += columns;
    }
    text.remove_prefix(end);
    if (!text.empty() && text.front() == '\n') {
      text.remove_prefix(1);
      if (!text.empty()) new_line();
    }
  }
  *out += '\n';
}

}  // namespace tfprof
