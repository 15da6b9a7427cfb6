// A CheckReport as JUnit XML, which CI systems show beside their tests.
//
// A suite is a rule, a case a row that it judged; a failure says by how much.
// What is within noise passes and says so in its output. Names are made
// harmless (safe_text.h), which also makes them valid XML.

#ifndef TFPROF_COMPARE_JUNIT_H_
#define TFPROF_COMPARE_JUNIT_H_

#include <string>

#include "compare/check.h"

namespace tfprof {

std::string CheckJunit(const CheckReport& report);

}  // namespace tfprof

#endif  // TFPROF_COMPARE_JUNIT_H_
