#include "inspect/stat_columns.h"

#include "fmt/format.h"

namespace tfprof {

DataColumn StatColumn(Stat stat) {
  switch (stat) {
    case kMicros:
      return {"micros", "time", Unit::kMicros};
    case kAcceleratorMicros:
      return {"accelerator_micros", "accelerator", Unit::kMicros};
    case kCpuMicros:
      return {"cpu_micros", "cpu", Unit::kMicros};
    case kRequestedBytes:
      return {"requested_bytes", "requested", Unit::kBytes};
    case kPeakBytes:
      return {"peak_bytes", "peak", Unit::kBytes};
    case kResidualBytes:
      return {"residual_bytes", "residual", Unit::kBytes};
    case kOutputBytes:
      return {"output_bytes", "output", Unit::kBytes};
    case kRunCount:
      return {"runs", "runs", Unit::kCount};
    case kParameters:
      return {"parameters", "parameters", Unit::kCount};
    case kFloatOps:
    case kNumStats:
      break;
  }
  return {"float_ops", "float ops", Unit::kCount};
}

std::string StepText(int64_t step) {
  return step < 0 ? "average of the steps" : fmt::format("step {}", step);
}

void AddStepFacts(std::string_view title, int64_t step, std::string_view words,
                  DataFacts* facts) {
  facts->push_back(
      {{"step", "", Unit::kNumber}, step < 0 ? int64_t{-1} : step});
  facts->push_back({{"", std::string(title), Unit::kText}, TextCell(words)});
}

void AddStepFacts(std::string_view title, int64_t step, DataFacts* facts) {
  AddStepFacts(title, step, StepText(step), facts);
}

}  // namespace tfprof
