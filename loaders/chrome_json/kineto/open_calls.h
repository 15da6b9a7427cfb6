// OpenCalls: the Python calls that are open at a moment of one thread, and what
// they mean for an event that runs in them.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_OPEN_CALLS_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_OPEN_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"
#include "loaders/chrome_json/kineto/python_names.h"
#include "loaders/chrome_json/kineto/scope_maker.h"

namespace tfprof {

// Stacks and scopes are made when they are asked for, because most calls have
// no event in them.
class OpenCalls {
 public:
  static constexpr size_t kNowhere = ~size_t{0};

  OpenCalls(const PythonNames& names, ScopeMaker& scopes)
      : names_(names), scopes_(scopes) {}

  // Another thread begins.
  void Clear();
  // Calls come in the order of their starts, the longer one first.
  void Open(const PythonEvent& event);
  // The innermost call that is open from `start` to `end`; kNowhere: none is.
  // Starts ascend.
  size_t Innermost(int64_t start, int64_t end);

  // The stack and the module of an event in that call.
  StackId StackOf(size_t call);
  ScopeId ModuleOf(size_t call);

 private:
  struct Call {
    int64_t end = 0;
    uint32_t name = 0;       // in PythonNames
    int32_t call_line = -1;  // in the frame around it
    // Known once it is resolved. The frame is that of this call, or the one
    // around it.
    PythonName frame = {};
    int32_t line = -1;  // in which the frame is
    StackId callers = kNoStack;
    ScopeId module = kRootScope;
    StackId stack = kNone;  // kNone: not asked for yet
  };

  void Close(int64_t time);
  // All calls up to this one.
  void Resolve(size_t call);
  StackId Push(const Call& call, int32_t line);

  const PythonNames& names_;
  ScopeMaker& scopes_;
  std::vector<Call> calls_;
  size_t resolved_ = 0;  // that many of them
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_OPEN_CALLS_H_
