// Advice as prose, in three forms. advice_answer.h has it as tables.
//
//   AdviceReport  the reference's report: a section for each checker
//   AdviceScreen  the same for a screen
//   AdviceText    for a person: findings, the worst first, in order of Rank()
//
// AdviceProto is the message that the reference returns to Python, in wire
// format.
//
// Characters in names that could control a terminal are replaced
// (util/text/safe_text.h), except in AdviceReport, which has the bytes of the
// reference. In a subject or a command, which take one line, a newline becomes
// "; ".

#ifndef TFPROF_ADVISOR_ADVICE_TEXT_H_
#define TFPROF_ADVISOR_ADVICE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "advisor/advice.h"
#include "tables/text_look.h"

namespace tfprof::advisor {

std::string AdviceReport(const Advice& advice);
// An entry for each checker by name, with a report for each finding.
std::string AdviceProto(const Advice& advice);
std::string AdviceScreen(const Advice& advice, const tables::TextLook& look);
std::string AdviceText(const Advice& advice, const tables::TextLook& look = {});

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_ADVICE_TEXT_H_
