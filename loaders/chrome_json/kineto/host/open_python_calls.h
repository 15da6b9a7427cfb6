// OpenCalls: the Python calls that are open at a time on one thread. It gives
// the stack and the module of an event inside them.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_OPEN_PYTHON_CALLS_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_OPEN_PYTHON_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"
#include "loaders/chrome_json/kineto/python_names.h"
#include "loaders/chrome_json/kineto/scope_maker.h"

namespace tfprof::kineto {

// Makes stacks and scopes only when they are asked for, because most calls have
// no event inside them.
class OpenCalls {
 public:
  static constexpr size_t kNowhere = ~size_t{0};

  OpenCalls(const PythonNames& names, ScopeMaker& scopes)
      : names_(names), scopes_(scopes) {}

  // Begins another thread.
  void Clear();
  // Adds a call. Calls come by start, the longer one first. Closes the calls
  // that end after its start, but before its end and within a microsecond.
  void Open(const PythonEvent& event);
  // Returns the innermost call that is open from `start` to `end`, or kNowhere.
  // `start` must not decrease from call to call.
  size_t Innermost(int64_t start, int64_t end);

  // Return the stack and the module of an event inside that call.
  profile::StackId StackOf(size_t call);
  profile::ScopeId ModuleOf(size_t call);

 private:
  struct Call {
    int64_t end = 0;
    uint32_t name = 0;       // in PythonNames
    int32_t call_line = -1;  // in the frame around it
    // Set by Resolve(). The frame of this call, or else the one around it.
    PythonName frame = {};
    int32_t line = -1;  // line in the frame
    profile::StackId callers = profile::kNoStack;
    profile::ScopeId module = profile::kRootScope;
    profile::StackId stack = profile::kNone;  // kNone: not made yet
  };

  void Close(int64_t time);
  // Resolves all calls up to this one.
  void Resolve(size_t call);
  profile::StackId Push(const Call& call, int32_t line);

  const PythonNames& names_;
  ScopeMaker& scopes_;
  std::vector<Call> calls_;
  size_t resolved_ = 0;  // how many are resolved
};

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_OPEN_PYTHON_CALLS_H_
