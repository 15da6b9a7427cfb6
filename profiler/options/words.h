// Words: how a line becomes words, and a word a list.
//
// As in the reference, blanks separate words, commas the elements of a list,
// and quotes around a list are dropped. Beyond it, quotes hold blanks, and
// inside a quoted list, quotes and brackets hold commas:
//
//   scope -show_name_regexes '.*my scope.*'       one regex with a blank
//   scope -show_name_regexes '.*a{1,2},b'         two: ".*a{1,2}" and "b"
//   scope -show_name_regexes '"x,y",z'            two: "x,y" and "z"
//   op   # a comment

#ifndef TFPROF_PROFILER_OPTIONS_WORDS_H_
#define TFPROF_PROFILER_OPTIONS_WORDS_H_

#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

// Splits at blanks outside of quotes; drops a comment. Quotes stay in the
// words, because only the option knows whether they mean something. A quote
// that nothing closes is an ordinary character.
std::vector<std::string> SplitWords(std::string_view line);

// Where the word begins that the end of `line` stands in, or its size where a
// new one begins; npos: in a comment. A quote that begins a word and that
// nothing closes yet is one that will be closed.
size_t OpenWord(std::string_view line);

// The word without the quotes around it.
std::string Unquote(std::string_view word);

// The elements of a list; empty ones are dropped.
std::vector<std::string> SplitList(std::string_view word);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_OPTIONS_WORDS_H_
