// Finds the source location of the function of an event, if its name has one.
//
//   fib (/src/work.py:8)          VizTracer
//   $train.py:98 next_batch       the Python tracer of JAX and TensorFlow
//   $builtins isinstance          the same, of a function without source
//   torch/optim/sgd.py(12): step  torch

#ifndef TFPROF_LOADERS_CHROME_JSON_EVENT_LOCATION_H_
#define TFPROF_LOADERS_CHROME_JSON_EVENT_LOCATION_H_

#include <cstdint>
#include <string_view>

namespace tfprof::chrome_json {

struct EventLocation {
  std::string_view function;
  std::string_view file;
  int32_t line = -1;
  bool known() const { return !file.empty(); }
};

// Returns views into `name`, or the default if the name has no location.
EventLocation LocationOfName(std::string_view name);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_EVENT_LOCATION_H_
