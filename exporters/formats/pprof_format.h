// The format of pprof profiles: field numbers of perftools.profiles.*
// (github.com/google/pprof, proto/profile.proto), and its names of units.

#ifndef TFPROF_EXPORTERS_FORMATS_PPROF_FORMAT_H_
#define TFPROF_EXPORTERS_FORMATS_PPROF_FORMAT_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "accounting/statistics.h"

namespace tfprof::exporters {

namespace pprof_profile {
inline constexpr uint32_t kSampleType = 1, kSample = 2, kMapping = 3,
                          kLocation = 4, kFunction = 5, kStringTable = 6,
                          kTimeNanos = 9, kDurationNanos = 10, kComment = 13,
                          kDefaultSampleType = 14;
}  // namespace pprof_profile
namespace pprof_value_type {
inline constexpr uint32_t kType = 1, kUnit = 2;
}  // namespace pprof_value_type
namespace pprof_sample {
inline constexpr uint32_t kLocationId = 1, kValue = 2, kLabel = 3;
}  // namespace pprof_sample
namespace pprof_label {
inline constexpr uint32_t kKey = 1, kStr = 2;
}  // namespace pprof_label
namespace pprof_mapping {
inline constexpr uint32_t kId = 1, kFilename = 5, kHasFunctions = 7,
                          kHasFilenames = 8, kHasLineNumbers = 9;
}  // namespace pprof_mapping
namespace pprof_location {
inline constexpr uint32_t kId = 1, kMappingId = 2, kLine = 4;
}  // namespace pprof_location
namespace pprof_line {
inline constexpr uint32_t kFunctionId = 1, kLine = 2;
}  // namespace pprof_line
namespace pprof_function {
inline constexpr uint32_t kId = 1, kName = 2, kSystemName = 3, kFilename = 4,
                          kStartLine = 5;
}  // namespace pprof_function

// The unit of a sample type: "microseconds", or "nanoseconds" for a profile
// with shorter ticks. Its name is Statistic::word.
std::string_view PprofUnit(const accounting::Statistic& statistic,
                           int64_t ticks_per_micro);
// A value of Stats in the unit of PprofUnit(); picoseconds are rounded down.
int64_t PprofValue(const accounting::Statistic& statistic,
                   int64_t ticks_per_micro, int64_t value);

// A ResourceExhausted error: a protobuf message has at most 2 GiB.
absl::Status PprofTooLarge();

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_PPROF_FORMAT_H_
