// Shapes of tensors, and the slices into which a checkpoint may cut a tensor.
//
// A partitioned variable is stored as several slices. The data of a slice has
// its own key, an ordered code of the tensor's name and the slice's ranges; V1
// files store whole tensors under such keys too. The code is the one of
// EncodeTensorNameSlice in tensorflow/core/util/saved_tensor_slice_util.cc.
//
// Values only, nothing is owned or shared. Errors are DataLoss and describe
// what is wrong with the shape or slice; the caller adds file and tensor.

#ifndef TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_TENSOR_SLICE_H_
#define TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_TENSOR_SLICE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "profile/tensor_source.h"
#include "proto/checkpoint.pb.h"

namespace tfprof::tensorflow {

// TensorFlow's limit. It bounds the cost of an element with many dimensions.
inline constexpr int kMaxRank = 254;

// Returns the sizes in `proto`. All dimensions must be known, there are at most
// kMaxRank, and the number of elements fits int64.
absl::StatusOr<std::vector<int64_t>> ShapeFromProto(
    const proto::TensorShapeProto& proto);

// Takes a shape from ShapeFromProto().
int64_t ElementCount(const std::vector<int64_t>& shape);

// Returns the key under which the data of that slice is stored.
std::string TensorSliceKey(std::string_view name,
                           const proto::TensorSliceProto& slice);

// A slice and its position in a tensor of known shape.
struct SlicePlace {
  std::vector<int64_t> start;
  std::vector<int64_t> length;
};

absl::StatusOr<SlicePlace> PlaceSlice(const proto::TensorSliceProto& slice,
                                      const std::vector<int64_t>& shape);

// Copies the values of a slice to their position in `whole`, whose value vector
// is already large enough. Marks them in `filled` (one per element of `whole`);
// an element that is already filled is an error. Both tensors have the same
// type, and `part` has as many values as `place` covers.
absl::Status CopySlice(const profile::TensorValue& part,
                       const SlicePlace& place, profile::TensorValue* whole,
                       std::vector<bool>* filled);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_TENSOR_SLICE_H_
