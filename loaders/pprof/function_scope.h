// The scope of a function of a program: its package, namespace or class.
//
//   "github.com/a/b/pkg.(*T).F"          github.com, a, b, pkg
//   "tensorflow::Executor::Run(int)"     tensorflow, Executor
//   "backend_compile", ".../compiler.py" compiler.py
//
// Views of the arguments.

#ifndef TFPROF_LOADERS_PPROF_FUNCTION_SCOPE_H_
#define TFPROF_LOADERS_PPROF_FUNCTION_SCOPE_H_

#include <string_view>
#include <vector>

namespace tfprof {

// From the outermost part to the innermost one; empty: nothing is known. `file`
// is that of the function, "" if it is unknown.
std::vector<std::string_view> ScopeOfFunction(std::string_view function,
                                              std::string_view file);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_PPROF_FUNCTION_SCOPE_H_
