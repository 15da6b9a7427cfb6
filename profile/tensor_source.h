// TensorSource: the interface to tensor values by name, for views (`-select
// tensor_value`).
//
// The interface is below the loaders and the exporters, so that a report can
// show values without depending on checkpoints. The only real implementation is
// loaders/checkpoint. Shapes have the outermost dimension first; a scalar has
// no dimensions and one value. Exactly one of the value vectors is filled, the
// one that fits `dtype`; values are in row-major order.
//
// Errors: Read() returns NotFound for a name that does not exist, Unimplemented
// for a type that is not supported, and DataLoss for a damaged file. Each
// message is complete and meant for people.

#ifndef TFPROF_PROFILE_TENSOR_SOURCE_H_
#define TFPROF_PROFILE_TENSOR_SOURCE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tfprof::profile {

struct TensorValue {
  int dtype = 0;  // tensorflow.DataType, see proto/graph.proto
  std::vector<int64_t> shape;
  std::vector<double> doubles;       // DT_FLOAT, DT_DOUBLE
  std::vector<int64_t> ints;         // DT_INT32, DT_INT64
  std::vector<std::string> strings;  // DT_STRING
};

struct TensorInfo {
  std::string name;
  int dtype = 0;
  std::vector<int64_t> shape;
};

class TensorSource {
 public:
  virtual ~TensorSource() = default;

  // All tensors, in ascending order of names. Owned by the source.
  virtual const std::vector<TensorInfo>& tensors() const = 0;

  virtual absl::StatusOr<TensorValue> Read(std::string_view name) const = 0;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TENSOR_SOURCE_H_
