// PythonNames: splits the names of Python functions in Kineto's events.
//
//   "torch/nn/modules/conv.py(553): forward"   a function of a file
//   "nn.Module: Conv2d_0"                      a call of a module
//   "<built-in method conv2d of type object>"  a function without a file
//
// The names of built-in functions contain addresses, which differ from call to
// call, so all these functions share one name here: number 0. Only gc.collect()
// is a function of its own, in the file "gc".

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_PYTHON_NAMES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_PYTHON_NAMES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/tables/call_stacks.h"
#include "profile/tables/string_pool.h"

namespace tfprof::kineto {

struct PythonName {
  // kNone: the name is not a function in a file.
  profile::StringId file = profile::kNone;
  profile::StringId function = profile::kNone;
  int32_t first_line = -1;
  // The name of a module ("Conv2d_0"); kNone: the name is not a module.
  profile::StringId module = profile::kNone;
};

class PythonNames {
 public:
  static constexpr uint32_t kBuiltin = 0;

  // Files and functions are stored in `strings`.
  explicit PythonNames(profile::StringPool& strings);

  // Returns the number of a name, which has no escapes.
  uint32_t Intern(std::string_view name);
  const PythonName& operator[](uint32_t number) const { return names_[number]; }

  // Returns the stack of a "Call stack" argument: "FRAME;FRAME;", innermost
  // first.
  profile::StackId InternStack(std::string_view text,
                               profile::CallStacks& stacks);

 private:
  profile::StringPool& strings_;
  profile::StringPool texts_;
  std::vector<PythonName> names_;
  profile::StringPool stack_texts_;
  std::vector<profile::StackId> stacks_;
};

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_PYTHON_NAMES_H_
