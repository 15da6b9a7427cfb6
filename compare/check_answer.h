// A CheckReport as an Answer.
//
// Tables: "rules", "rows" (the rows that each rule judged), and "ops" and
// "nodes" (the largest changes in time, whatever the rules say). Facts: the
// verdict, the summary, and the number of steps. Forms: "text", for a person,
// which is the default, and "junit". g3doc/compare.md describes the columns.

#ifndef TFPROF_COMPARE_CHECK_ANSWER_H_
#define TFPROF_COMPARE_CHECK_ANSWER_H_

#include "compare/check.h"
#include "tables/answer.h"

namespace tfprof::compare {

// The profiles of `report` must outlive the answer, unless the answer keeps
// them. The answer's status is OK even if a rule failed.
tables::Answer CheckAnswer(CheckReport report);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_CHECK_ANSWER_H_
