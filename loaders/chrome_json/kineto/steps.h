// The steps of a Kineto file: its ranges named ProfilerStep#N.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_STEPS_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_STEPS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"

namespace tfprof::kineto {

// Returns N of "ProfilerStep#N", or -1 for other names.
int64_t StepNumber(std::string_view name);

struct KinetoStep {
  int64_t start = 0;  // as in the file
  int64_t end = 0;
  int64_t number = 0;
};

// Returns the steps in the order of their starts.
std::vector<KinetoStep> FindSteps(const KinetoEvents& events,
                                  const profile::StringPool& strings);

// Returns the last step that begins at or before `time`, if it has not ended
// then, or kOutsideSteps.
int64_t StepAt(const std::vector<KinetoStep>& steps, int64_t time);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_STEPS_H_
