#include "util/text/text_layout.h"

#include <algorithm>
#include <optional>

#include "fmt/format.h"
#include "util/text/character_width.h"
#include "util/text/utf8.h"

namespace tfprof::util {
namespace {

// The text of an entry that begins below its name is indented at least this
// much more than the name.
constexpr size_t kBelowEntry = 8;

// A paragraph: a line, which may be an entry ("  name  text"), and its
// continuation lines.
class Paragraph {
 public:
  explicit Paragraph(std::string_view line) : lines_(line), joined_(line) {
    lead_ = std::min(line.find_first_not_of(' '), line.size());
    const size_t gap = line.find("  ", lead_);
    text_ = std::min(line.find_first_not_of(' ', gap), line.size());
    if (gap == line.npos) text_ = lead_;
    column_ = Columns(line.substr(0, text_));
    // Continuation lines of an indented paragraph are indented further.
    hang_ = lead_ == 0 ? 0 : 4;
    entry_ = column_ > lead_;
    width_ = widest_ = Columns(line);
  }

  // Returns false if `line` does not continue the paragraph.
  bool Join(std::string_view line) {
    const size_t lead = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view rest = line.substr(lead);
    const size_t word = Columns(rest.substr(0, rest.find(' ')));
    const bool entry = rest.find("  ") != rest.npos;
    if (rest.empty() || entry) return false;
    // This line is the text of an entry whose name is too long to have the text
    // beside it.
    const bool below = !entry_ && lead_ > 0 &&
                       joined_.size() == lines_.size() &&
                       lead >= lead_ + kBelowEntry;
    if (below) {
      entry_ = true;
      text_ = joined_.size() + 1;
      column_ = lead;
    } else if (lead != column_ || width_ + 1 + word <= kPageColumns) {
      return false;
    }
    if (lead == lead_) hang_ = 0;
    lines_ += fmt::format("\n{}", line);
    joined_ += fmt::format(" {}", rest);
    width_ = Columns(line);
    widest_ = std::max(widest_, width_);
    return true;
  }

  void Append(size_t page, std::string* out) const {
    if (widest_ <= page) {
      *out += lines_ + '\n';
    } else if (entry_ && column_ <= page / 2) {
      out->append(joined_, 0, text_);
      AppendWrapped(std::string_view(joined_).substr(text_), column_, out,
                    page);
    } else if (entry_) {
      // Write the name, and its text below it.
      std::string_view name = std::string_view(joined_).substr(0, text_);
      name = name.substr(0, name.find_last_not_of(' ') + 1);
      out->append(name, 0, lead_);
      AppendWrapped(name.substr(lead_), lead_ + hang_, out, page);
      const size_t indent = lead_ + 4;
      out->append(indent, ' ');
      AppendWrapped(std::string_view(joined_).substr(text_), indent, out, page);
    } else {
      out->append(joined_, 0, lead_);
      AppendWrapped(std::string_view(joined_).substr(lead_), lead_ + hang_, out,
                    page);
    }
  }

 private:
  std::string lines_;   // as written
  std::string joined_;  // joined into one line
  size_t lead_, text_;  // bytes before the first word, and before the text
  size_t column_;       // column of the text
  size_t hang_;         // extra indentation of continuation lines
  bool entry_;          // has a name and a text
  size_t width_;        // width of the last line
  size_t widest_;
};

}  // namespace

size_t Columns(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    if (static_cast<unsigned char>(text[0]) < 0x80) {
      ++columns;
      text.remove_prefix(1);
      continue;
    }
    const Utf8Character c = FirstUtf8(text);
    columns += c.good ? static_cast<size_t>(CharacterWidth(c.code)) : 1;
    text.remove_prefix(c.size);
  }
  return columns;
}

size_t PrefixInColumns(std::string_view text, size_t columns) {
  size_t bytes = 0;
  while (bytes < text.size()) {
    const Utf8Character c = FirstUtf8(text.substr(bytes));
    const auto width = static_cast<size_t>(c.good ? CharacterWidth(c.code) : 1);
    if (width > columns) break;
    columns -= width;
    bytes += c.size;
  }
  return bytes;
}

std::string Shortened(std::string_view text, size_t columns,
                      std::string_view ellipsis) {
  // If the text is much too long, its exact width does not matter.
  constexpr size_t kMaxBytes = 4;
  const size_t have =
      text.size() / kMaxBytes > columns ? text.size() : Columns(text);
  if (have <= columns) return std::string(text);
  const size_t dots = Columns(ellipsis);
  if (columns <= dots) {
    return std::string(ellipsis.substr(0, PrefixInColumns(ellipsis, columns)));
  }
  const size_t head = (columns - dots) / 3;
  const std::string_view front = text.substr(0, PrefixInColumns(text, head));
  // Drop characters from the front of the tail until the rest fits.
  std::string_view tail = text;
  if (tail.size() > (columns + 1) * kMaxBytes) {
    tail.remove_prefix(tail.size() - (columns + 1) * kMaxBytes);
    while (!tail.empty() &&
           (static_cast<unsigned char>(tail[0]) & 0xc0) == 0x80)
      tail.remove_prefix(1);
  }
  const size_t room = columns - dots - Columns(front);
  size_t width = Columns(tail);
  while (width > room) {
    const Utf8Character c = FirstUtf8(tail);
    width -= static_cast<size_t>(c.good ? CharacterWidth(c.code) : 1);
    tail.remove_prefix(c.size);
  }
  std::string result(front);
  result += ellipsis;
  result += tail;
  return result;
}

void AppendPadded(std::string_view text, size_t columns, std::string* out) {
  *out += text;
  out->append(columns - std::min(columns, Columns(text)), ' ');
}

void AppendWrapped(std::string_view text, size_t indent, std::string* out,
                   size_t page) {
  size_t column = indent;
  bool has_word = false;  // the line has a word; words may have zero width
  const auto new_line = [&] {
    *out += '\n';
    out->append(indent, ' ');
    column = indent;
    has_word = false;
  };
  while (!text.empty()) {
    const size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    const size_t end = std::min(text.find_first_of(" \n", blanks), text.size());
    const std::string_view word = text.substr(blanks, end - blanks);
    const size_t columns = Columns(word);
    if (!word.empty()) {
      if (has_word && column + blanks + columns > page) {
        new_line();
      } else {
        out->append(blanks, ' ');
        column += blanks;
      }
      *out += word;
      column += columns;
      has_word = true;
    }
    text.remove_prefix(end);
    if (!text.empty() && text.front() == '\n') {
      text.remove_prefix(1);
      if (!text.empty()) new_line();
    }
  }
  *out += '\n';
}

std::string FitLines(std::string_view text, size_t page, bool broken) {
  std::string out;
  std::optional<Paragraph> paragraph;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!paragraph.has_value() || !broken || !paragraph->Join(line)) {
      if (paragraph.has_value()) paragraph->Append(page, &out);
      paragraph.emplace(line);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (paragraph.has_value()) paragraph->Append(page, &out);
  return out;
}

}  // namespace tfprof::util
