// A CheckReport as an Answer.
//
// Tables: "rules", "rows" (what each rule judged), and "ops" and "nodes" (what
// changed most in time, for rules or not). Facts: the verdict, the summary, and
// the number of steps. Forms: "text", for a person, which is the default, and
// "junit". g3doc/compare.md describes the columns.

#ifndef TFPROF_COMPARE_CHECK_ANSWER_H_
#define TFPROF_COMPARE_CHECK_ANSWER_H_

#include "compare/check.h"
#include "tables/answer.h"

namespace tfprof {

// The profiles of `report` must outlive the answer, or be kept by it. Its
// status is OK whether or not a rule failed.
Answer CheckAnswer(CheckReport report);

}  // namespace tfprof

#endif  // TFPROF_COMPARE_CHECK_ANSWER_H_
