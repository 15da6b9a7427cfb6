// TsdlWords: reads the words of a metadata text (TSDL) and the values of its
// attributes, and keeps the first error.
//
// After an error nothing more is read: all functions that return bool return
// false, and loops check failed(). The text must outlive it.

#ifndef TFPROF_LOADERS_CTF_LANGUAGE_TSDL_WORDS_H_
#define TFPROF_LOADERS_CTF_LANGUAGE_TSDL_WORDS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "loaders/ctf/language/tsdl_lexer.h"

namespace tfprof::ctf {

// The value of an attribute.
struct TsdlValue {
  bool is_number = false;
  uint64_t number = 0;
  bool negative = false;
  std::string text;  // for words and strings

  int64_t Signed() const {
    return static_cast<int64_t>(negative ? 0 - number : number);
  }
};

// Removes the underscore that LTTng puts before the names of fields.
std::string TsdlFieldName(std::string_view name);

class TsdlWords {
 public:
  explicit TsdlWords(std::string_view text) : text_(text), lexer_(text) {
    Take();
  }

  // Returns "line 3, byte 70 of the text: expected ';', found '}'", or "".
  const std::string& error() const { return error_; }

 protected:
  void Take();
  bool Is(std::string_view text) const;
  bool TakeIf(std::string_view text);
  bool Expect(std::string_view text);
  bool Fail(std::string_view expected);
  static std::string Shown(std::string_view text);
  // Parses "packet.header", "model.emf.uri" or "id".
  std::string EntryName();
  // Parses "= VALUE".
  bool Assigned(TsdlValue& value);
  bool AssignedEnd(TsdlValue& value);
  bool AssignedNumber(uint64_t& number);
  bool Ignored();
  bool ByteOrder(std::string_view text, bool& big);

  bool failed() const { return !error_.empty(); }
  const TsdlToken& token() const { return token_; }

 private:
  const std::string_view text_;
  TsdlLexer lexer_;
  TsdlToken token_;
  std::string error_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_TSDL_WORDS_H_
