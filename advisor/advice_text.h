// Advice as text, in five forms; whoever calls writes it somewhere.
//
//   AdviceReport  what the reference prints: a section for each checker
//   AdviceScreen  the same for a screen
//   AdviceText    for a person: findings, the worst first, in 80 columns
//   AdviceTable   a line for each finding, in aligned columns
//   AdviceJson    findings as data, described in g3doc/advise.md
//
// The order in the last three is that of Rank(). Names stand as they are in the
// profile; but where one line is promised (a subject, a command, all of a
// table), a newline becomes "; " and other controls \xNN.

#ifndef TFPROF_ADVISOR_ADVICE_TEXT_H_
#define TFPROF_ADVISOR_ADVICE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "advisor/advice.h"
#include "util/text_layout.h"

namespace tfprof {

// How lines are made for who looks at them. Names in them are harmless
// (util/safe_text.h), but for those of AdviceReport, whose bytes are given.
struct AdviceLook {
  size_t columns = kPageColumns;
  bool color = false;
};

std::string AdviceReport(const Advice& advice);
std::string AdviceScreen(const Advice& advice, const AdviceLook& look);
std::string AdviceText(const Advice& advice, const AdviceLook& look = {});
std::string AdviceTable(const Advice& advice);
std::string AdviceJson(const Advice& advice);

// "1 warning", "2 warnings".
std::string Counted(size_t count, std::string_view noun);

}  // namespace tfprof

#endif  // TFPROF_ADVISOR_ADVICE_TEXT_H_
