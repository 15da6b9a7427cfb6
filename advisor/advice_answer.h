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

// How advice is told as prose.
enum class AdviceOrder {
  // A section for each checker, as in the reference. To what is no terminal the
  // form is "text", whose bytes are the reference's; a screen has its own.
  kByChecker,
  // The worst finding first; "text" is for a person everywhere.
  kWorstFirst,
};

// The checkers that `advice` refers to must outlive the answer.
Answer AdviceAnswer(Advice advice, AdviceOrder order);

// "2 more findings of 1 checker: advise all", of warnings and worse in the
// advice of checkers that were not asked; empty: there is nothing more.
std::string DescribeFurther(const Advice& further);

}  // namespace tfprof

#endif  // TFPROF_ADVISOR_ADVICE_ANSWER_H_
