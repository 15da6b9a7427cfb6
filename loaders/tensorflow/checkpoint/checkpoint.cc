#include "loaders/tensorflow/checkpoint/checkpoint.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/tensorflow/checkpoint/formats.h"

namespace tfprof::tensorflow {
namespace {

// Returns `path` without the suffix of a checkpoint's file, or `path` itself if
// it has none.
std::string StripSuffix(const std::string& path) {
  const std::string_view name(path);
  for (const std::string_view suffix : {".index", ".meta"}) {
    if (name.ends_with(suffix)) {
      return path.substr(0, path.size() - suffix.size());
    }
  }
  const size_t data = path.rfind(".data-");
  if (data != std::string::npos && path.find('/', data) == std::string::npos) {
    return path.substr(0, data);
  }
  return path;
}

}  // namespace

absl::StatusOr<std::unique_ptr<profile::TensorSource>> OpenCheckpoint(
    const std::string& path) {
  return OpenCheckpoint(path, DiskCheckpointFiles());
}

absl::StatusOr<std::unique_ptr<profile::TensorSource>> OpenCheckpoint(
    const std::string& path, const CheckpointFiles& files) {
  if (files.Exists(path + ".index")) return OpenTensorBundle(path, files);
  const std::string prefix = StripSuffix(path);
  if (prefix != path) {
    if (files.Exists(prefix + ".index")) return OpenTensorBundle(prefix, files);
    // The `.meta` file of a V1 checkpoint has a graph, not tensors.
    if (files.Exists(prefix)) return OpenSavedSlices({prefix}, files);
  }
  const std::vector<std::string> paths = files.Match(path);
  if (paths.empty()) {
    return absl::NotFoundError(
        fmt::format("Unsuccessful TensorSliceReader constructor: Failed to "
                    "find any matching files for {}",
                    path));
  }
  return OpenSavedSlices(paths, files);
}

absl::StatusOr<TableFile> OpenTableFile(const std::string& path,
                                        const CheckpointFiles& files) {
  absl::StatusOr<FileBytes> bytes = files.Open(path);
  absl::StatusOr<SortedTable> table =
      bytes.ok() ? SortedTable::Open(bytes->bytes) : bytes.status();
  if (!table.ok()) {
    return absl::DataLossError(fmt::format("Unable to open table file {}: {}",
                                           path, table.status().ToString()));
  }
  return TableFile{path, *std::move(bytes), *std::move(table)};
}

bool ParseMessage(std::string_view bytes, google::protobuf::Message* message) {
  return bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max()) &&
         message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

absl::Status CheckVersions(const proto::VersionDef& versions) {
  // Both formats have only ever had version 1.
  constexpr int kVersion = 1;
  const auto& bad = versions.bad_consumers();
  if (versions.min_consumer() > kVersion ||
      std::find(bad.begin(), bad.end(), kVersion) != bad.end()) {
    return absl::FailedPreconditionError(fmt::format(
        "its writer (version {}) asks for a reader of at least version {}, "
        "this one reads version {}; save the checkpoint with an older "
        "TensorFlow",
        versions.producer(), std::max(versions.min_consumer(), kVersion + 1),
        kVersion));
  }
  return absl::OkStatus();
}

absl::Status CheckType(int dtype) {
  switch (dtype) {
    case proto::DT_FLOAT:
    case proto::DT_DOUBLE:
    case proto::DT_INT32:
    case proto::DT_INT64:
    case proto::DT_STRING:
      return absl::OkStatus();
    default:
      return absl::UnimplementedError(
          fmt::format("Not Supported type {}", dtype));
  }
}

int FindTensor(const std::vector<profile::TensorInfo>& tensors,
               std::string_view name) {
  const auto found =
      std::lower_bound(tensors.begin(), tensors.end(), name,
                       [](const profile::TensorInfo& info, std::string_view n) {
                         return info.name < n;
                       });
  if (found == tensors.end() || found->name != name) return -1;
  return static_cast<int>(found - tensors.begin());
}

absl::Status AddContext(std::string_view where, const absl::Status& status) {
  return absl::Status(
      status.code(),
      fmt::format("{}: {}", where, std::string(status.message())));
}

}  // namespace tfprof::tensorflow
