#include "loaders/chrome_json/kineto/host/open_python_calls.h"

#include <algorithm>

namespace tfprof::kineto {
namespace {

// Calls that overlap by less than this, without one inside the other, are
// neighbours: their clock is not exact.
constexpr int64_t kNeighbourNanos = 1000;

}  // namespace

void OpenCalls::Clear() {
  calls_.clear();
  resolved_ = 0;
}

void OpenCalls::Close(int64_t time) {
  while (!calls_.empty() && calls_.back().end <= time) calls_.pop_back();
  resolved_ = std::min(resolved_, calls_.size());
}

void OpenCalls::Open(const PythonEvent& event) {
  Close(event.start);
  while (!calls_.empty() && event.end > calls_.back().end &&
         calls_.back().end - event.start < kNeighbourNanos) {
    calls_.pop_back();
  }
  resolved_ = std::min(resolved_, calls_.size());
  calls_.push_back(
      {.end = event.end, .name = event.name, .call_line = event.call_line});
}

size_t OpenCalls::Innermost(int64_t start, int64_t end) {
  Close(start);
  // A range may end after the call in which it began.
  for (size_t i = calls_.size(); i-- > 0;) {
    if (calls_[i].end >= end) return i;
  }
  return kNowhere;
}

profile::StackId OpenCalls::StackOf(size_t call) {
  Resolve(call);
  Call& c = calls_[call];
  if (c.stack == profile::kNone) c.stack = Push(c, c.line);
  return c.stack;
}

profile::ScopeId OpenCalls::ModuleOf(size_t call) {
  Resolve(call);
  return calls_[call].module;
}

// Returns the stack with the frame of `call`, at this line, on top.
profile::StackId OpenCalls::Push(const Call& call, int32_t line) {
  if (call.frame.file == profile::kNone) return call.callers;
  return scopes_.builder().mutable_graph().stacks.Push(
      call.callers, {.file = call.frame.file,
                     .function = call.frame.function,
                     .lineno = line,
                     .func_start_line = call.frame.first_line});
}

void OpenCalls::Resolve(size_t call) {
  for (; resolved_ <= call; ++resolved_) {
    static const Call kOutermost;
    const Call& around = resolved_ == 0 ? kOutermost : calls_[resolved_ - 1];
    Call& c = calls_[resolved_];
    const PythonName& name = names_[c.name];
    const int32_t line = c.call_line >= 0 ? c.call_line : around.line;
    c.module = around.module;
    if (name.module != profile::kNone) {
      c.module = scopes_.Push(around.module, name.module);
    }
    if (name.file != profile::kNone) {
      c.frame = name;
      c.line = name.first_line;
      c.callers = Push(around, line);
    } else {
      c.frame = around.frame;
      c.line = line;
      c.callers = around.callers;
    }
  }
}

}  // namespace tfprof::kineto
