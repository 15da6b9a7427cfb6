#include "inspect/steps/step_facts.h"

#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "tables/stat_column.h"

namespace tfprof::inspect {

std::string StepText(int64_t step) {
  if (step == accounting::kAllSteps)
    return "sum of everything, inside steps or not";
  return step < 0 ? "average of the steps" : fmt::format("step {}", step);
}

void AddStepFacts(std::string_view title, int64_t step, std::string_view words,
                  tables::DataFacts* facts) {
  facts->push_back({{"step", "", util::Unit::kNumber},
                    tables::StepCell(accounting::CanonicalStep(step))});
  facts->push_back(
      {{"", std::string(title), util::Unit::kText}, tables::TextCell(words)});
}

void AddStepFacts(std::string_view title, int64_t step,
                  tables::DataFacts* facts) {
  AddStepFacts(title, step, StepText(step), facts);
}

}  // namespace tfprof::inspect
