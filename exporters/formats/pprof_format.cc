#include "exporters/formats/pprof_format.h"

namespace tfprof {
namespace {

constexpr PprofSampleType kSampleTypes[] = {
    {Field::kMicros, kMicros, "micros", "microseconds",
     "Sum of accelerator execution time and cpu execution time.", true},
    {Field::kAcceleratorMicros, kAcceleratorMicros, "accelerator_micros",
     "microseconds", "Accelerator execution time.", true},
    {Field::kCpuMicros, kCpuMicros, "cpu_micros", "microseconds",
     "CPU execution time.", true},
    {Field::kBytes, kRequestedBytes, "bytes", "bytes",
     "Sum of operation total memory requests, excluding deallocations.", true},
    {Field::kPeakBytes, kPeakBytes, "peak_bytes", "bytes",
     "Sum of operation peak memory usage.", true},
    {Field::kResidualBytes, kResidualBytes, "residual_bytes", "bytes",
     "Sum of operation allocated memory after finish.", true},
    {Field::kOutputBytes, kOutputBytes, "output_bytes", "bytes",
     "Sum of operation output size.", true},
    {Field::kParams, kParameters, "params", "count", "Model parameters.", true},
    {Field::kFloatOps, kFloatOps, "float_ops", "count",
     "Model float operations (Only available if defined).", true},
    {Field::kOccurrence, kRunCount, "occurrence", "count",
     "How often operations ran.", false},
};

}  // namespace

std::span<const PprofSampleType> PprofSampleTypes() { return kSampleTypes; }

const PprofSampleType* FindPprofSampleType(Field field) {
  for (const PprofSampleType& type : kSampleTypes) {
    if (type.field == field) return &type;
  }
  return nullptr;
}

absl::Status PprofTooLarge() {
  return absl::ResourceExhaustedError(
      "the pprof profile would exceed 2 GiB; show fewer rows "
      "(-max_depth, -min_micros, -show_name_regexes)");
}

}  // namespace tfprof
