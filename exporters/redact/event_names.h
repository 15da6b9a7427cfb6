// The names of Kineto's events that the author of a program chose.

#ifndef TFPROF_EXPORTERS_REDACT_EVENT_NAMES_H_
#define TFPROF_EXPORTERS_REDACT_EVENT_NAMES_H_

#include <string>
#include <string_view>

#include "exporters/redact/redactor.h"

namespace tfprof::exporters {

// Returns the name instead of an event's: "range1" for a range, "nn.Module:
// Module1_0" for a module, "file1.py(12): function2" for a function of Python.
// Returns the name itself where everybody knows it or the reports depend on it:
// operators, kernels, calls of libraries, marks of steps.
std::string RedactedName(std::string_view category, std::string_view name,
                         Redactor& redactor);

// The same for the frames of a call stack, "net/a.py(12): f;net/b.py(3): g".
std::string RedactedStack(std::string_view stack, Redactor& redactor);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REDACT_EVENT_NAMES_H_
