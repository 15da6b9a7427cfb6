#include "loaders/ctf/language/tsdl_words.h"

#include <algorithm>

#include "fmt/format.h"

namespace tfprof::ctf {

std::string TsdlFieldName(std::string_view name) {
  if (name.size() > 1 && name[0] == '_') name.remove_prefix(1);
  return std::string(name);
}

void TsdlWords::Take() {
  token_ = lexer_.Next();
  if (token_.kind == TsdlToken::kWrong) Fail("the next word");
}

bool TsdlWords::Is(std::string_view text) const {
  return token_.text == text &&
         (token_.kind == TsdlToken::kSign || token_.kind == TsdlToken::kWord);
}

bool TsdlWords::TakeIf(std::string_view text) {
  if (!Is(text)) return false;
  Take();
  return true;
}

bool TsdlWords::Expect(std::string_view text) {
  if (TakeIf(text)) return true;
  return Fail(fmt::format("'{}'", text));
}

bool TsdlWords::Fail(std::string_view expected) {
  if (!error_.empty()) return false;
  const size_t line =
      1 + static_cast<size_t>(
              std::count(text_.begin(), text_.begin() + token_.offset, '\n'));
  error_ = fmt::format(
      "line {}, byte {} of the text: expected {}, found {}", line,
      token_.offset, expected,
      token_.kind == TsdlToken::kEnd ? "the end" : Shown(token_.text));
  return false;
}

std::string TsdlWords::Shown(std::string_view text) {
  return fmt::format("'{}'", text.substr(0, 40));
}

std::string TsdlWords::EntryName() {
  std::string name;
  while (token_.kind == TsdlToken::kWord) {
    name.append(token_.text);
    Take();
    if (!Is(".") && !Is("->")) break;
    name.append(".");
    Take();
  }
  if (name.empty()) Fail("a name");
  return name;
}

bool TsdlWords::Assigned(TsdlValue& value) {
  if (!Expect("=")) return false;
  switch (token_.kind) {
    case TsdlToken::kNumber:
      value.is_number = true;
      value.number = token_.number;
      value.negative = token_.negative;
      value.text = token_.text;
      Take();
      break;
    case TsdlToken::kString:
      value.text = UnescapeTsdl(token_.text);
      Take();
      break;
    case TsdlToken::kWord:
      value.text = EntryName();
      break;
    default:
      return Fail("a value");
  }
  return error_.empty();
}

bool TsdlWords::AssignedEnd(TsdlValue& value) {
  return Assigned(value) && Expect(";");
}

bool TsdlWords::AssignedNumber(uint64_t& number) {
  TsdlValue value;
  if (!Assigned(value)) return false;
  if (!value.is_number || value.negative) return Fail("a number before this");
  number = value.number;
  return Expect(";");
}

bool TsdlWords::Ignored() {
  EntryName();
  TsdlValue value;
  return AssignedEnd(value);
}

bool TsdlWords::ByteOrder(std::string_view text, bool& big) {
  if (text == "be" || text == "network") {
    big = true;
  } else if (text == "le") {
    big = false;
  } else {
    return Fail("'le' or 'be' before this");
  }
  return true;
}

}  // namespace tfprof::ctf
