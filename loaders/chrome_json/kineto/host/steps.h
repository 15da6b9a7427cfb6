// The steps of a Kineto file: the steps of an inference engine
// (engine_steps.h), numbered from 0 in the order of time; or else its ranges
// named ProfilerStep#N.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_STEPS_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"
#include "loaders/chrome_json/kineto/host/engine_steps.h"
#include "loaders/core/import_log.h"

namespace tfprof::kineto {

// Returns N of "ProfilerStep#N", or -1 for other names.
int64_t StepNumber(std::string_view name);

// Returns the name of the row that the steps named like `name` share:
// "ProfilerStep*", "decode step"; or "" if `name` is not the name of a step.
std::string_view StepRow(std::string_view name);

struct KinetoStep {
  int64_t start = 0;  // as in the file
  int64_t end = 0;    // at most the end of the recording
  int64_t number = 0;
  uint32_t host = 0;  // in KinetoEvents::host
  EngineStep engine = {};
};

class KinetoSteps {
 public:
  // For a time that is in no step.
  static constexpr size_t kNowhere = ~size_t{0};

  KinetoSteps() = default;
  // `rows` are in the order of their starts.
  KinetoSteps(std::vector<KinetoStep> rows, bool of_engine);

  const std::vector<KinetoStep>& rows() const { return rows_; }
  bool empty() const { return rows_.empty(); }
  bool of_engine() const { return of_engine_; }

  // Returns the row of the first step that is open from `start` to `end`, which
  // is after it; or kNowhere.
  size_t Around(int64_t start, int64_t end) const;
  // Returns the number of the first step that is open at `time`, or
  // kOutsideSteps. A step without a length is open at its start.
  int64_t At(int64_t time) const;

 private:
  std::vector<KinetoStep> rows_;
  bool of_engine_ = false;
  std::vector<int64_t> latest_end_;  // of the rows up to this one
};

KinetoSteps FindSteps(const KinetoEvents& events,
                      const profile::StringPool& strings);

// The end of a file that was cut has the work of devices: without some of it,
// they seem to be idle. Removes the steps that end after the last launch whose
// work is in the file, and logs it. Keeps all if none would be left.
KinetoSteps WithoutCutSteps(const KinetoEvents& events, KinetoSteps steps,
                            loaders::ImportLog& log);

// Says that a step, which takes `nanos`, goes on after its recording. What
// happened there is not in the file.
std::string CutStepText(const KinetoStep& step, int64_t nanos);
void LogCutSteps(const KinetoEvents& events, const KinetoSteps& steps,
                 loaders::ImportLog& log);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_STEPS_H_
