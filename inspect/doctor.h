// Doctor: whether a profile is fit to draw conclusions from.
//
// Each check gives a verdict with the number it rests on and, unless all is
// well, what to do. "bad" means that numbers of the profile are wrong or not
// there; "warn", that some questions cannot be answered, or that the answer may
// not be what is normal for the program.

#ifndef TFPROF_INSPECT_DOCTOR_H_
#define TFPROF_INSPECT_DOCTOR_H_

#include <string>
#include <string_view>
#include <vector>

#include "loaders/import_log.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

struct Check {
  enum class Verdict { kOk, kWarn, kBad };
  std::string_view name;  // for programs: "graph_coverage"
  Verdict verdict = Verdict::kOk;
  std::string found;
  std::string advice;  // empty when all is well
};

std::vector<Check> Examine(Views& views, const ImportLog& log);

// A row for each check, facts that count the verdicts.
DataTable DoctorTable(const std::vector<Check>& checks);

// "ok", "warn", "bad".
std::string_view VerdictName(Check::Verdict verdict);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_DOCTOR_H_
