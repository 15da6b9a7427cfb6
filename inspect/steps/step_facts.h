// The step of an answer: a fact for programs, and words for people.

#ifndef TFPROF_INSPECT_STEPS_STEP_FACTS_H_
#define TFPROF_INSPECT_STEPS_STEP_FACTS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "tables/data_table.h"

namespace tfprof::inspect {

// "average of the steps", "step 3".
std::string StepText(int64_t step);

// Adds the step of an answer. Programs get the fact "step", -1 for the average,
// as in reports. People get `words` under `title`.
void AddStepFacts(std::string_view title, int64_t step, std::string_view words,
                  tables::DataFacts* facts);
void AddStepFacts(std::string_view title, int64_t step,
                  tables::DataFacts* facts);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_STEPS_STEP_FACTS_H_
