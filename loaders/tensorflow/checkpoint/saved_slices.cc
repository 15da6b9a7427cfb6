// Format V1: each file is a table of SavedTensorSlices. The first entry, under
// the empty key, lists the slices in the file. Every other entry holds the
// values of one slice, under the key of the slice.

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "fmt/format.h"
#include "loaders/tensorflow/checkpoint/formats.h"
#include "loaders/tensorflow/checkpoint/tensor_slice.h"

namespace tfprof::tensorflow {
namespace {

// A slice and the file that lists it.
struct ListedSlice {
  size_t file = 0;
  proto::TensorSliceProto slice;
};

class SavedSlices : public profile::TensorSource {
 public:
  absl::Status Load(const std::vector<std::string>& paths,
                    const CheckpointFiles& files);

  const std::vector<profile::TensorInfo>& tensors() const override {
    return tensors_;
  }

  absl::StatusOr<profile::TensorValue> Read(
      std::string_view name) const override;

 private:
  struct Listed {
    profile::TensorInfo info;
    ListedSlice first;
    size_t slices = 0;
  };
  using Listing = std::map<std::string, Listed>;

  // The messages of errors do not name the file.
  absl::Status LoadList(size_t file, Listing* listing) const;
  absl::StatusOr<profile::TensorValue> ReadSlice(
      const profile::TensorInfo& info, const ListedSlice& listed) const;

  std::vector<TableFile> files_;
  std::vector<profile::TensorInfo> tensors_;
  // For each of tensors_; with several slices, only the count is used.
  std::vector<ListedSlice> first_slices_;
  std::vector<size_t> slice_counts_;
};

absl::Status SavedSlices::LoadList(size_t file, Listing* listing) const {
  absl::StatusOr<SortedTable::Value> value = files_[file].table.Get("");
  if (!value.ok()) return value.status();
  proto::SavedTensorSlices slices;
  if (!ParseMessage(value->bytes, &slices)) {
    return absl::DataLossError(
        fmt::format("table block at byte {}: the list of tensors is not a "
                    "SavedTensorSlices; the file is not a V1 checkpoint",
                    value->block_offset));
  }
  absl::Status status = CheckVersions(slices.meta().versions());
  if (!status.ok()) return status;
  for (const proto::SavedSliceMeta& tensor : slices.meta().tensor()) {
    if (tensor.slice_size() == 0) continue;
    absl::StatusOr<std::vector<int64_t>> shape = ShapeFromProto(tensor.shape());
    if (!shape.ok()) {
      return AddContext(fmt::format("tensor '{}'", tensor.name()),
                        shape.status());
    }
    const auto [entry, added] = listing->try_emplace(tensor.name());
    Listed& listed = entry->second;
    if (added) {
      listed.info = {tensor.name(), tensor.type(), *std::move(shape)};
      listed.first = {file, tensor.slice(0)};
    } else if (listed.info.dtype != tensor.type() ||
               listed.info.shape != *shape) {
      return absl::DataLossError(fmt::format(
          "tensor '{}' has another type or shape than before; the files are "
          "not of one checkpoint",
          tensor.name()));
    }
    listed.slices += tensor.slice_size();
  }
  return absl::OkStatus();
}

absl::Status SavedSlices::Load(const std::vector<std::string>& paths,
                               const CheckpointFiles& files) {
  Listing listing;
  for (const std::string& path : paths) {
    absl::StatusOr<TableFile> file = OpenTableFile(path, files);
    if (!file.ok()) return file.status();
    files_.push_back(*std::move(file));
    absl::Status status = LoadList(files_.size() - 1, &listing);
    if (!status.ok()) {
      return absl::Status(
          status.code() == absl::StatusCode::kNotFound
              ? absl::StatusCode::kDataLoss
              : status.code(),
          fmt::format("Failed to find the saved tensor slices at the beginning "
                      "of the checkpoint file: {}: {}",
                      path, std::string(status.message())));
    }
  }
  for (auto& [name, listed] : listing) {
    tensors_.push_back(std::move(listed.info));
    first_slices_.push_back(std::move(listed.first));
    slice_counts_.push_back(listed.slices);
  }
  return absl::OkStatus();
}

// Returns whether TensorFlow reads the V1 form of the type. The message for
// other types differs, see checkpoint.h.
bool ReadByTensorFlow(int dtype) {
  switch (dtype) {
    case proto::DT_FLOAT:
    case proto::DT_DOUBLE:
    case proto::DT_INT32:
    case proto::DT_UINT8:
    case proto::DT_INT16:
    case proto::DT_INT8:
    case proto::DT_INT64:
    case proto::DT_STRING:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<profile::TensorValue> SavedSlices::ReadSlice(
    const profile::TensorInfo& info, const ListedSlice& listed) const {
  const TableFile& file = files_[listed.file];
  absl::StatusOr<SlicePlace> place = PlaceSlice(listed.slice, info.shape);
  if (!place.ok()) return AddContext(file.path, place.status());
  const uint64_t count = static_cast<uint64_t>(ElementCount(info.shape));
  if (place->length != info.shape) {
    return absl::DataLossError(
        fmt::format("{}: it holds {} of {} elements; files of the checkpoint "
                    "are missing, give a pattern that matches all of them",
                    file.path, ElementCount(place->length), count));
  }
  absl::StatusOr<SortedTable::Value> stored =
      file.table.Get(TensorSliceKey(info.name, listed.slice));
  if (!stored.ok()) {
    if (stored.status().code() == absl::StatusCode::kNotFound) {
      return absl::DataLossError(
          fmt::format("{}: the file lists it, but holds no values of it; save "
                      "the checkpoint again",
                      file.path));
    }
    return AddContext(file.path, stored.status());
  }
  const std::string where = fmt::format("{}: table block at byte {}", file.path,
                                        stored->block_offset);
  proto::SavedTensorSlices slices;
  if (!ParseMessage(stored->bytes, &slices)) {
    return absl::DataLossError(fmt::format(
        "{}: the values are not a SavedTensorSlices; the file is damaged, copy "
        "or save it again",
        where));
  }
  proto::TensorProto& data = *slices.mutable_data()->mutable_data();
  profile::TensorValue value;
  value.dtype = info.dtype;
  value.shape = info.shape;
  uint64_t found = 0;
  switch (info.dtype) {
    case proto::DT_FLOAT:
      value.doubles.assign(data.float_val().begin(), data.float_val().end());
      found = value.doubles.size();
      break;
    case proto::DT_DOUBLE:
      value.doubles.assign(data.double_val().begin(), data.double_val().end());
      found = value.doubles.size();
      break;
    case proto::DT_INT32:
      value.ints.assign(data.int_val().begin(), data.int_val().end());
      found = value.ints.size();
      break;
    case proto::DT_INT64:
      value.ints.assign(data.int64_val().begin(), data.int64_val().end());
      found = value.ints.size();
      break;
    default:  // strings: CheckType() rejects other types
      value.strings.reserve(data.string_val_size());
      for (std::string& string : *data.mutable_string_val()) {
        value.strings.push_back(std::move(string));
      }
      found = value.strings.size();
      break;
  }
  if (slices.data().name() != info.name || found != count) {
    return absl::DataLossError(fmt::format(
        "{}: {} values of tensor '{}', expected {}; the file is damaged, copy "
        "or save it again",
        where, found, slices.data().name(), count));
  }
  return value;
}

absl::StatusOr<profile::TensorValue> SavedSlices::Read(
    std::string_view name) const {
  const int i = FindTensor(tensors_, name);
  if (i < 0) {
    return absl::NotFoundError(
        fmt::format("{} not found in checkpoint file", name));
  }
  if (slice_counts_[i] > 1) {
    return absl::UnimplementedError("Sliced checkpoints are not supported");
  }
  if (!ReadByTensorFlow(tensors_[i].dtype)) {
    return absl::UnimplementedError("Data type not supported");
  }
  if (absl::Status status = CheckType(tensors_[i].dtype); !status.ok()) {
    return status;
  }
  absl::StatusOr<profile::TensorValue> value =
      ReadSlice(tensors_[i], first_slices_[i]);
  if (!value.ok()) {
    return AddContext(fmt::format("tensor '{}'", name), value.status());
  }
  return value;
}

}  // namespace

absl::StatusOr<std::unique_ptr<profile::TensorSource>> OpenSavedSlices(
    const std::vector<std::string>& paths, const CheckpointFiles& files) {
  auto source = std::make_unique<SavedSlices>();
  if (absl::Status s = source->Load(paths, files); !s.ok()) return s;
  return source;
}

}  // namespace tfprof::tensorflow
