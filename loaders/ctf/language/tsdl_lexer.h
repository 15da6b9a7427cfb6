// TsdlLexer: the words of a TSDL text.

#ifndef TFPROF_LOADERS_CTF_LANGUAGE_TSDL_LEXER_H_
#define TFPROF_LOADERS_CTF_LANGUAGE_TSDL_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof::ctf {

struct TsdlToken {
  enum Kind : uint8_t { kEnd, kWord, kNumber, kString, kSign, kWrong };
  Kind kind = kEnd;
  std::string_view text;  // of a string: without quotes, with its escapes
  size_t offset = 0;
  // The value of a number, and whether it is written with a minus.
  uint64_t number = 0;
  bool negative = false;
};

class TsdlLexer {
 public:
  explicit TsdlLexer(std::string_view text) : text_(text) {}
  // The next token; kEnd from the end on. kWrong: no token begins here, such as
  // a string or a comment without an end; its text says what.
  TsdlToken Next();

 private:
  bool SkipSpace(TsdlToken& token);

  std::string_view text_;
  size_t at_ = 0;
};

// Without the backslashes of escapes.
std::string UnescapeTsdl(std::string_view text);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_TSDL_LEXER_H_
