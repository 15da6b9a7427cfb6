// A CheckReport as JUnit XML, which CI systems show with their tests.
//
// A suite is a rule and a case is a row that it judged; a failure states the
// size of the change. A change within noise passes, and its output says so.
// Unsafe characters in names are replaced (safe_text.h), which also makes them
// valid XML.

#ifndef TFPROF_COMPARE_JUNIT_H_
#define TFPROF_COMPARE_JUNIT_H_

#include <string>

#include "compare/check.h"

namespace tfprof::compare {

std::string CheckJunit(const CheckReport& report);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_JUNIT_H_
