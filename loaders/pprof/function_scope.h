// Finds the scope of a function of a program: its package, namespace or class.
//
//   "github.com/a/b/pkg.(*T).F"          github.com, a, b, pkg
//   "tensorflow::Executor::Run(int)"     tensorflow, Executor
//   "backend_compile", ".../compiler.py" compiler.py
//
// The results are views into the arguments.

#ifndef TFPROF_LOADERS_PPROF_FUNCTION_SCOPE_H_
#define TFPROF_LOADERS_PPROF_FUNCTION_SCOPE_H_

#include <string_view>
#include <vector>

namespace tfprof::pprof {

// Returns the parts from the outermost to the innermost; empty if unknown.
// `file` is the file of the function, or "".
std::vector<std::string_view> ScopeOfFunction(std::string_view function,
                                              std::string_view file);

}  // namespace tfprof::pprof

#endif  // TFPROF_LOADERS_PPROF_FUNCTION_SCOPE_H_
