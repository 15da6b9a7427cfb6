// Names that a person means by a part of them: in any case of letters; with `*`
// and `?` as in file names, else anywhere in the name.
//
//   NameMatches("aten::addmm", "MM")       "*mm", "aten::?ddmm" match it too
//
// The patterns are regular expressions of RE2 that match whole names.

#ifndef TFPROF_UTIL_TEXT_NAME_MATCH_H_
#define TFPROF_UTIL_TEXT_NAME_MATCH_H_

#include <string>
#include <string_view>

namespace tfprof::util {

bool NameMatches(std::string_view name, std::string_view part);

// The same as a pattern.
std::string PatternOfPart(std::string_view part);

// The pattern of this name only.
std::string PatternOfName(std::string_view name);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_NAME_MATCH_H_
