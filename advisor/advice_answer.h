// Advice as an Answer.
//
// Tables: "findings", a row each in the order of Rank(), and "checkers", a row
// for each checker that ran, with what it lacked. Facts: how many findings
// there are of each severity. g3doc/advise.md describes the columns. Notes:
// what the checkers lacked.

#ifndef TFPROF_ADVISOR_ADVICE_ANSWER_H_
#define TFPROF_ADVISOR_ADVICE_ANSWER_H_

#include <string>

#include "advisor/advice.h"
#include "tables/answer.h"

namespace tfprof {

// In which order advice is written as prose.
enum class AdviceOrder {
  // A section for each checker, as in the reference. Files and pipes get the
  // form "text" with the bytes of the reference, a terminal gets "screen".
  kByChecker,
  // The worst finding first. "text" is the same prose for a terminal and for a
  // file.
  kWorstFirst,
};

// The checkers that `advice` refers to must outlive the answer.
Answer AdviceAnswer(Advice advice, AdviceOrder order);

// "2 more findings of 1 checker: advise all", counts warnings and worse in the
// advice of checkers that were not selected. Empty: there are none.
std::string DescribeFurther(const Advice& further);

}  // namespace tfprof

#endif  // TFPROF_ADVISOR_ADVICE_ANSWER_H_
