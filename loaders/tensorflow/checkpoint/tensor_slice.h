// Shapes of tensors, and the slices into which a checkpoint may cut one.
//
// A partitioned variable is stored as several slices. The data of a slice has
// a key of its own, an ordered code of the tensor's name and the slice's
// ranges; V1 files store whole tensors under such keys too. The code is that of
// EncodeTensorNameSlice in tensorflow/core/util/saved_tensor_slice_util.cc.
//
// Values only, nothing is owned or shared. Errors are DataLoss and say what is
// wrong with the shape or slice; the caller adds file and tensor.

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

namespace tfprof {

// TensorFlow's limit. It bounds what an element of many dimensions costs.
inline constexpr int kMaxRank = 254;

// The sizes in `proto`: every dimension known, at most kMaxRank of them, and a
// number of elements that fits int64.
absl::StatusOr<std::vector<int64_t>> ShapeFromProto(
    const TensorShapeProto& proto);

// Of a shape that ShapeFromProto() gave.
int64_t ElementCount(const std::vector<int64_t>& shape);

// The key under which the data of that slice is stored.
std::string TensorSliceKey(std::string_view name,
                           const TensorSliceProto& slice);

// A slice with its place in a tensor of known shape.
struct SlicePlace {
  std::vector<int64_t> start;
  std::vector<int64_t> length;
};

absl::StatusOr<SlicePlace> PlaceSlice(const TensorSliceProto& slice,
                                      const std::vector<int64_t>& shape);

// Copies the values of a slice to their place in `whole`, whose value vector is
// large enough already. Marks them in `filled` (one per element of `whole`);
// an element that is filled already is an error. Both tensors have the same
// type, and `part` has as many values as `place` says.
absl::Status CopySlice(const TensorValue& part, const SlicePlace& place,
                       TensorValue* whole, std::vector<bool>* filled);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_TENSOR_SLICE_H_
