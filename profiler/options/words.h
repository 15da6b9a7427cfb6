// Splits a line into words, and a word into the elements of a list. Reads a
// number of bytes.
//
// As in the reference, blanks separate words, commas separate the elements of a
// list, and quotes around a list are removed. In addition, quotes protect
// blanks, and inside a quoted list, quotes and brackets protect commas:
//
//   scope -show_name_regexes '.*my scope.*'       one regex with a blank
//   scope -show_name_regexes '.*a{1,2},b'         two: ".*a{1,2}" and "b"
//   scope -show_name_regexes '"x,y",z'            two: "x,y" and "z"
//   op   # a comment

#ifndef TFPROF_PROFILER_OPTIONS_WORDS_H_
#define TFPROF_PROFILER_OPTIONS_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "util/text/unit.h"

namespace tfprof::options {

// Splits at blanks outside of quotes; removes a comment. Quotes stay in the
// words, because only the option knows whether they mean something. A quote
// that is never closed is an ordinary character.
std::vector<std::string> SplitWords(std::string_view line);

// The beginning of the word in which `line` ends, or the size of `line` if a
// new word would begin there; npos: `line` ends in a comment. A quote at the
// beginning of a word counts as a quote even if it is not closed yet.
size_t OpenWord(std::string_view line);

// The word without the quotes around it.
std::string Unquote(std::string_view word);

// The elements of a list; empty ones are dropped.
std::vector<std::string> SplitList(std::string_view word);

// "512M", "2G", "1000000": bytes, in units of 1024. False: it is none.
bool ParseByteCount(std::string_view word, size_t& bytes);

// A whole number, or an amount of `unit` as tables show it: "5ms", "1.5s"
// (microseconds), "10MB", "1GiB" (bytes, MB is a million), "2k" (a count).
// False: it is none, or too large.
bool ParseAmount(std::string_view word, util::Unit unit, int64_t& value);

// The path, with the user's home for "~/": a shell leaves it in quotes, and has
// not seen a line of ours.
std::string FromHome(std::string_view path);

}  // namespace tfprof::options

#endif  // TFPROF_PROFILER_OPTIONS_WORDS_H_
