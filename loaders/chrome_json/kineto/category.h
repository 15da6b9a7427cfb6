// The categories of Kineto's events, under all names that they have had.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_CATEGORY_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_CATEGORY_H_

#include <cstdint>
#include <string_view>

namespace tfprof {

enum class KinetoCategory : uint8_t {
  kUnknown,
  kOp,           // an operator on the host
  kRange,        // a part of the program that it named: record_function
  kLaunch,       // a call of the accelerator's runtime or driver
  kKernel,       // on an accelerator
  kCopy,         // between memories
  kSet,          // fills memory
  kPython,       // a call of a Python function
  kDeviceRange,  // where the kernels of a range ran; repeats their time
  kSync,         // waiting, shown on a stream though nothing runs there
  kCounters,     // a kernel that was measured alone, with its counters
  kOverhead,     // of the profiler
  kSpan,         // the recording as a whole
};

KinetoCategory KinetoCategoryOf(std::string_view category);

// The category of flows from an operator to its gradient.
bool IsForwardBackward(std::string_view category);

// A kernel of this name exchanges data with other processes.
bool IsCommunicationKernel(std::string_view name);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_CATEGORY_H_
