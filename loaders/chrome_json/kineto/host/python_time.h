// The time that Python functions take themselves: where a function runs, and no
// operator or launch that it has called. A range that a program has named, or a
// step, has the time in which no function that began inside it runs.
//
// Short calls, built-in functions and modules are part of the function around
// them, because files have millions of them. On a thread without operators and
// ranges, nothing is known but its calls: they have no time of their own. Times
// are nanoseconds.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_PYTHON_TIME_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_PYTHON_TIME_H_

#include <cstdint>
#include <span>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"
#include "loaders/chrome_json/kineto/host/host_tree.h"
#include "loaders/chrome_json/kineto/python_names.h"
#include "loaders/chrome_json/kineto/scope_maker.h"

namespace tfprof::kineto {

// A call of a function in a file.
struct PythonCall {
  uint32_t event = 0;                // in KinetoEvents::python
  uint32_t parent = profile::kNone;  // the host event around it
  int64_t self = 0;
  // With its own frame on top.
  profile::StackId stack = profile::kNoStack;
  profile::ScopeId module = profile::kRootScope;
  bool counts = false;  // its thread has operators or ranges
};

// The calls of all threads by thread and start, the longer one first.
std::vector<uint32_t> OrderOfCalls(const KinetoEvents& events);

// Returns the calls that are kept, in the order of `order`, which is
// OrderOfCalls(events), and takes their time away from the ranges in `tree`.
std::vector<PythonCall> FindPythonTime(const KinetoEvents& events,
                                       std::span<const uint32_t> order,
                                       const PythonNames& names,
                                       ScopeMaker& scopes, HostTree& tree);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_PYTHON_TIME_H_
