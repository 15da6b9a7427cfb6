// The names that the loader knows: the categories of Kineto's events, under all
// names that they have ever had, and the arguments of events. A category that
// is not listed is kUnknown.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_CATEGORY_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_CATEGORY_H_

#include <cstdint>
#include <string_view>

namespace tfprof::kineto {

enum class KinetoCategory : uint8_t {
  kUnknown,
  kOp,           // an operator on the host
  kRange,        // a named part of the program: record_function
  kLaunch,       // a call of the accelerator's runtime or driver
  kKernel,       // on an accelerator
  kCopy,         // a copy between memories
  kSet,          // fills memory
  kPython,       // a call of a Python function
  kDeviceRange,  // where the kernels of a range ran; repeats their time
  kSync,         // a wait, shown on a stream although nothing runs there
  kCounters,     // a kernel that was measured alone, with its counters
  kOverhead,     // the profiler's own work
  kSpan,         // the whole recording
};

KinetoCategory KinetoCategoryOf(std::string_view category);

// Returns whether this is the category of flows from operators to gradients.
bool IsForwardBackward(std::string_view category);

// Returns whether the loader makes facts of an argument of this name. Others
// are details, which are decoded when they are shown.
bool ReadsArgument(std::string_view name);

// Returns the name of an operator without the number that the profiler of
// SGLang appends to each call: "sglang_profiler::f" for "sglang_profiler::f_3".
std::string_view WithoutCallNumber(std::string_view name);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_CATEGORY_H_
