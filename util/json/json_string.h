// Writes JSON strings in the form of the reference's writer (jsoncpp).
//
//   AppendJsonString("a\"\n\u00ef", &text);   // "a\"\n\u00ef", ASCII only
//
// `"` and `\` get a backslash, and the usual control characters get their short
// form. Other control characters and everything beyond ASCII become \uXXXX in
// lower case, or a surrogate pair beyond 16 bits. '/' and DEL are not escaped.
// Names in a profile may be any bytes: each byte that is not part of a
// well-formed UTF-8 sequence becomes U+FFFD, so that the result is always valid
// JSON.

#ifndef TFPROF_UTIL_JSON_JSON_STRING_H_
#define TFPROF_UTIL_JSON_JSON_STRING_H_

#include <string>
#include <string_view>

namespace tfprof::util {

// Appends `s` with its quotes.
void AppendJsonString(std::string_view s, std::string* text);

inline std::string JsonString(std::string_view s) {
  std::string text;
  AppendJsonString(s, &text);
  return text;
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_JSON_JSON_STRING_H_
