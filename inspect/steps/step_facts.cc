#include "inspect/steps/step_facts.h"

#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "tables/stat_column.h"

namespace tfprof {

std::string StepText(int64_t step) {
  if (step == kAllSteps) return "sum of everything, inside steps or not";
  return step < 0 ? "average of the steps" : fmt::format("step {}", step);
}

void AddStepFacts(std::string_view title, int64_t step, std::string_view words,
                  DataFacts* facts) {
  facts->push_back(
      {{"step", "", Unit::kNumber}, StepCell(CanonicalStep(step))});
  facts->push_back({{"", std::string(title), Unit::kText}, TextCell(words)});
}

void AddStepFacts(std::string_view title, int64_t step, DataFacts* facts) {
  AddStepFacts(title, step, StepText(step), facts);
}

}  // namespace tfprof
