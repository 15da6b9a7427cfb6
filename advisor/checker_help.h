// Help on checkers, made from their declarations: `help advise`, the help on
// one of them, and the last section of g3doc/advise.md.

#ifndef TFPROF_ADVISOR_CHECKER_HELP_H_
#define TFPROF_ADVISOR_CHECKER_HELP_H_

#include <string>

#include "advisor/choice.h"

namespace tfprof::advisor {

// Every checker with its rules and options.
std::string CheckersHelp(CheckerRegistry registry);
// Describes the checker of `choice`, or only its named rules.
std::string CheckerHelp(const CheckerChoice& choice);
// The section "Checkers and rules" of a page.
std::string CheckersMarkdown(CheckerRegistry registry);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_CHECKER_HELP_H_
