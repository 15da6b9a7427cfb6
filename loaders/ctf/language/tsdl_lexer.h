// TsdlLexer: splits a TSDL text into tokens. The text must outlive the tokens.

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
  // The value of a number, and whether it has a minus sign.
  uint64_t number = 0;
  bool negative = false;
};

class TsdlLexer {
 public:
  explicit TsdlLexer(std::string_view text) : text_(text) {}
  // Returns the next token, and kEnd at the end. kWrong: no token begins here;
  // its text says why, such as a string without an end.
  TsdlToken Next();
  // Where the last token ended.
  size_t offset() const { return at_; }

 private:
  bool SkipSpace(TsdlToken& token);

  std::string_view text_;
  size_t at_ = 0;
};

// Resolves the escapes of a string.
std::string UnescapeTsdl(std::string_view text);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_TSDL_LEXER_H_
