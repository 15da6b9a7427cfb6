// Advice as an Answer.
//
// Tables: "findings", one row each in the order of Rank(), and "checkers", one
// row for each checker that ran, with the records that it lacked. Facts: the
// number of findings of each severity. g3doc/advise.md describes the columns.
// Notes: the records that the checkers lacked.

#ifndef TFPROF_ADVISOR_ADVICE_ANSWER_H_
#define TFPROF_ADVISOR_ADVICE_ANSWER_H_

#include <string>

#include "advisor/advice.h"
#include "tables/answer.h"

namespace tfprof::advisor {

// The order in which advice is written as prose.
enum class AdviceOrder {
  // A section for each checker, as in the reference. Files and pipes get the
  // form "text" with the bytes of the reference, a terminal gets "screen".
  kByChecker,
  // The worst finding first. "text" is the same prose for a terminal and for a
  // file.
  kWorstFirst,
};

// The checkers that `advice` refers to must outlive the answer.
tables::Answer AdviceAnswer(Advice advice, AdviceOrder order);

// "2 more findings of 1 checker: advise all": counts warnings and critical
// findings in the advice of checkers that were not selected. Empty if there are
// none.
std::string DescribeFurther(const Advice& further);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_ADVICE_ANSWER_H_
