// Evidence: parts of the commands that show a finding.
//
// Commands are typed into a shell or passed as arguments. A name from the input
// must therefore not add blanks, quotes, commas, or characters with a meaning
// in regular expressions.

#ifndef TFPROF_ADVISOR_EVIDENCE_H_
#define TFPROF_ADVISOR_EVIDENCE_H_

#include <string>
#include <string_view>

namespace tfprof::advisor {

// A regular expression without such characters that matches `name`: letters,
// digits and "_-/:" stay, each run of others becomes ".*".
std::string NamePattern(std::string_view name);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_EVIDENCE_H_
