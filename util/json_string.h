// Strings of JSON, as the reference's writer (jsoncpp) writes them.
//
//   AppendJsonString("a\"\n\u00ef", &text);   // "a\"\n\u00ef", ASCII only
//
// `"` and `\` get a backslash, the usual controls their short form, other
// controls and everything beyond ASCII \uXXXX in lower case, as a surrogate
// pair where 16 bits are too few. '/' and DEL are not escaped. Names in a
// profile may be any bytes: each byte that is not part of a well-formed UTF-8
// sequence becomes U+FFFD, so that the result is always valid JSON.

#ifndef TFPROF_UTIL_JSON_STRING_H_
#define TFPROF_UTIL_JSON_STRING_H_

#include <string>
#include <string_view>

namespace tfprof {

// Appends `s` with its quotes.
void AppendJsonString(std::string_view s, std::string* text);

inline std::string JsonString(std::string_view s) {
  std::string text;
  AppendJsonString(s, &text);
  return text;
}

}  // namespace tfprof

#endif  // TFPROF_UTIL_JSON_STRING_H_
