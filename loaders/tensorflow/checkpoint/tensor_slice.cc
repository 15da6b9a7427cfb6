#include "loaders/tensorflow/checkpoint/tensor_slice.h"

#include <bit>
#include <cstddef>
#include <limits>

#include "fmt/format.h"

namespace tfprof::tensorflow {
namespace {

// In the key of a slice, this length stands for the whole dimension.
constexpr int64_t kWholeDimension = -1;

// Ordered code: byte strings that sort like the values they encode.

// Writes the number of bytes, then the bytes, most significant first.
void AppendOrderedNumber(uint64_t value, std::string* key) {
  const int size = (static_cast<int>(std::bit_width(value)) + 7) / 8;
  key->push_back(static_cast<char>(size));
  for (int i = size - 1; i >= 0; --i) {
    key->push_back(static_cast<char>(value >> (8 * i)));
  }
}

// 00 and ff are escaped, because 00 01 ends the string.
void AppendOrderedString(std::string_view value, std::string* key) {
  for (const char c : value) {
    key->push_back(c);
    if (c == '\x00') key->push_back('\xff');
    if (c == '\xff') key->push_back('\x00');
  }
  key->append("\x00\x01", 2);
}

// Writes two's complement, most significant byte first, in the fewest bytes
// that leave room for a size prefix: a positive number of n bytes begins with n
// ones and a zero, a negative number with the inverse.
void AppendOrderedSigned(int64_t value, std::string* key) {
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  // From 1 to 10.
  const int size = static_cast<int>(std::bit_width(magnitude)) / 7 + 1;
  // Ten bytes have room for ten ones and the sign.
  uint8_t bytes[10];
  for (int i = 0; i < 10; ++i) {
    const int shift = 8 * (9 - i);
    bytes[i] = shift >= 64 ? (value < 0 ? 0xff : 0)
                           : static_cast<uint8_t>(value >> shift);
  }
  uint8_t* begin = bytes + 10 - size;
  for (int bit = 0; bit < size; ++bit) {
    begin[bit / 8] ^= static_cast<uint8_t>(0x80 >> (bit % 8));
  }
  key->append(reinterpret_cast<const char*>(begin), size);
}

template <typename T>
absl::Status CopyValues(const std::vector<T>& part, const SlicePlace& place,
                        const std::vector<int64_t>& shape,
                        std::vector<T>* whole, std::vector<bool>* filled) {
  const size_t rank = shape.size();
  // The distance of neighbours along each dimension in `whole`.
  std::vector<size_t> stride(rank, 1);
  for (size_t d = rank; d-- > 1;) {
    stride[d - 1] = stride[d] * static_cast<size_t>(shape[d]);
  }
  size_t target = 0;
  for (size_t d = 0; d < rank; ++d) target += place.start[d] * stride[d];
  std::vector<int64_t> at(rank, 0);
  for (const T& value : part) {
    if ((*filled)[target]) {
      return absl::DataLossError(
          fmt::format("two slices hold element {}", target));
    }
    (*filled)[target] = true;
    (*whole)[target] = value;
    for (size_t d = rank; d-- > 0;) {
      target += stride[d];
      if (++at[d] < place.length[d]) break;
      target -= stride[d] * static_cast<size_t>(place.length[d]);
      at[d] = 0;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ShapeFromProto(
    const proto::TensorShapeProto& proto) {
  if (proto.unknown_rank()) {
    return absl::DataLossError("the shape is unknown");
  }
  if (proto.dim_size() > kMaxRank) {
    return absl::DataLossError(
        fmt::format("the shape has {} dimensions, expected at most {}",
                    proto.dim_size(), kMaxRank));
  }
  std::vector<int64_t> shape;
  shape.reserve(proto.dim_size());
  bool empty = false;
  for (const proto::TensorShapeProto::Dim& dim : proto.dim()) {
    if (dim.size() < 0) {
      return absl::DataLossError(fmt::format(
          "dimension {} of the shape has size {}", shape.size(), dim.size()));
    }
    empty |= dim.size() == 0;
    shape.push_back(dim.size());
  }
  int64_t count = empty ? 0 : 1;
  for (const int64_t size : shape) {
    if (!empty && size > std::numeric_limits<int64_t>::max() / count) {
      return absl::DataLossError("the shape has 2^63 elements or more");
    }
    count *= size;
  }
  return shape;
}

int64_t ElementCount(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) {
    // Return before multiplying: the other dimensions alone may overflow.
    if (size == 0) return 0;
  }
  for (const int64_t size : shape) count *= size;
  return count;
}

std::string TensorSliceKey(std::string_view name,
                           const proto::TensorSliceProto& slice) {
  std::string key;
  AppendOrderedNumber(0, &key);  // sorts before every name
  AppendOrderedString(name, &key);
  AppendOrderedNumber(slice.extent_size(), &key);
  for (const proto::TensorSliceProto::Extent& extent : slice.extent()) {
    AppendOrderedSigned(extent.start(), &key);
    AppendOrderedSigned(
        extent.has_length_case() == proto::TensorSliceProto::Extent::kLength
            ? extent.length()
            : kWholeDimension,
        &key);
  }
  return key;
}

absl::StatusOr<SlicePlace> PlaceSlice(const proto::TensorSliceProto& slice,
                                      const std::vector<int64_t>& shape) {
  if (static_cast<size_t>(slice.extent_size()) != shape.size()) {
    return absl::DataLossError(
        fmt::format("a slice has {} dimensions, expected {}",
                    slice.extent_size(), shape.size()));
  }
  SlicePlace place;
  for (const proto::TensorSliceProto::Extent& extent : slice.extent()) {
    const int64_t size = shape[place.start.size()];
    const bool has_length =
        extent.has_length_case() == proto::TensorSliceProto::Extent::kLength;
    const int64_t start = extent.start();
    const int64_t length = has_length ? extent.length() : size;
    if (start < 0 || length < 0 || start > size || length > size - start) {
      return absl::DataLossError(fmt::format(
          "a slice takes {} elements from {} on along dimension {}, which has "
          "{}",
          length, start, place.start.size(), size));
    }
    place.start.push_back(start);
    place.length.push_back(length);
  }
  return place;
}

absl::Status CopySlice(const profile::TensorValue& part,
                       const SlicePlace& place, profile::TensorValue* whole,
                       std::vector<bool>* filled) {
  // Only one of the three vectors has values.
  absl::Status status =
      CopyValues(part.doubles, place, whole->shape, &whole->doubles, filled);
  if (status.ok()) {
    status = CopyValues(part.ints, place, whole->shape, &whole->ints, filled);
  }
  if (status.ok()) {
    status =
        CopyValues(part.strings, place, whole->shape, &whole->strings, filled);
  }
  return status;
}

}  // namespace tfprof::tensorflow
