#include "loaders/ctf/language/tsdl_lexer.h"

#include <charconv>
#include <system_error>

namespace tfprof::ctf {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$';
}
bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c); }

}  // namespace

bool TsdlLexer::SkipSpace(TsdlToken& token) {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || (c >= '\t' && c <= '\r') || c == '\0') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = text_.find('\n', at_);
      if (at_ == text_.npos) at_ = text_.size();
    } else if (text_.substr(at_, 2) == "/*") {
      const size_t end = text_.find("*/", at_ + 2);
      if (end == text_.npos) {
        token = {TsdlToken::kWrong, "a comment without an end", at_};
        at_ = text_.size();
        return false;
      }
      at_ = end + 2;
    } else {
      break;
    }
  }
  return true;
}

TsdlToken TsdlLexer::Next() {
  TsdlToken token;
  if (!SkipSpace(token)) return token;
  token.offset = at_;
  if (at_ == text_.size()) return token;
  const size_t begin = at_;
  const char c = text_[at_];
  if (IsWordStart(c)) {
    while (at_ < text_.size() && IsWordPart(text_[at_])) ++at_;
    token.kind = TsdlToken::kWord;
    token.text = text_.substr(begin, at_ - begin);
    return token;
  }
  if (c == '"') {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    if (end >= text_.size()) {
      at_ = text_.size();
      return {TsdlToken::kWrong, "a string without an end", begin};
    }
    token.kind = TsdlToken::kString;
    token.text = text_.substr(begin + 1, end - begin - 1);
    at_ = end + 1;
    return token;
  }
  const bool minus =
      c == '-' && at_ + 1 < text_.size() && IsDigit(text_[at_ + 1]);
  if (IsDigit(c) || minus) {
    size_t digits = begin + (minus ? 1 : 0);
    int base = 10;
    if (text_[digits] == '0' && digits + 1 < text_.size()) {
      const char second = text_[digits + 1];
      if (second == 'x' || second == 'X') {
        base = 16;
        digits += 2;
      } else if (second == 'b' || second == 'B') {
        base = 2;
        digits += 2;
      } else if (IsDigit(second)) {
        base = 8;
      }
    }
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] =
        std::from_chars(text_.data() + digits, end, token.number, base);
    at_ = static_cast<size_t>(stop - text_.data());
    if (error != std::errc()) {
      at_ = begin + 1;
      return {TsdlToken::kWrong, "a number that does not fit in 64 bits",
              begin};
    }
    // Numbers may have suffixes of C: 10ULL.
    for (; at_ < text_.size() && IsWordPart(text_[at_]); ++at_) {
      if (std::string_view("uUlL").find(text_[at_]) == std::string_view::npos) {
        return {TsdlToken::kWrong, "a number with letters behind it", begin};
      }
    }
    token.kind = TsdlToken::kNumber;
    token.negative = minus;
    token.text = text_.substr(begin, at_ - begin);
    return token;
  }
  token.kind = TsdlToken::kSign;
  for (const std::string_view sign : {"...", ":=", "->"}) {
    if (text_.substr(at_).starts_with(sign)) {
      token.text = text_.substr(at_, sign.size());
      at_ += sign.size();
      return token;
    }
  }
  token.text = text_.substr(at_++, 1);
  return token;
}

std::string UnescapeTsdl(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    result += text[i];
  }
  return result;
}

}  // namespace tfprof::ctf
