#include "loaders/core/inputs.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace tfprof::loaders {
namespace {

int64_t FileSize(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? info.st_size : 0;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const InputFile>> Inputs::Open(
    const std::string& path) {
  const auto known = opened_.find(path);
  if (known != opened_.end()) return known->second;
  auto file = InputFile::Open(
      path, [&](int64_t done, int64_t total) { Prepared(path, done, total); },
      cancellation_);
  if (!file.ok()) return file;
  opened_[path] = *file;
  ExpectBytes(path, static_cast<int64_t>((*file)->bytes().size()));
  if (!(*file)->damage().empty()) {
    log_.Add(ImportLog::kDamage, "gzip stream cut short", (*file)->damage());
  }
  return file;
}

void Inputs::Expect(const std::string& path) {
  if (expected_.contains(path)) return;
  const int64_t size = FileSize(path);
  expected_[path].size = size;
  unopened_bytes_ += size;
  UpdateTotal();
}

void Inputs::ExpectBytes(const std::string& path, int64_t bytes) {
  Expected& expected = expected_[path];
  if (!std::exchange(expected.opened, true)) {
    unopened_bytes_ -= expected.size;
    opened_bytes_ += expected.size;
  }
  const int64_t total = expected.prepared + bytes;
  opened_total_ += total - std::exchange(expected.total, total);
  UpdateTotal();
}

void Inputs::Forget(const std::string& path) {
  ExpectBytes(path, 0);
  opened_bytes_ -= std::exchange(expected_[path].size, 0);
  UpdateTotal();
}

// Notes that `done` of about `total` bytes were unpacked or read from a pipe.
// These bytes count twice: now, and when they are loaded.
void Inputs::Prepared(const std::string& path, int64_t done, int64_t total) {
  Expected& expected = expected_[path];
  progress_.done += std::max<int64_t>(done - expected.prepared, 0);
  expected.prepared = done;
  if (total > 0) ExpectBytes(path, 2 * total - done);
}

void Inputs::UpdateTotal() {
  const double each = opened_bytes_ > 0 ? static_cast<double>(opened_total_) /
                                              static_cast<double>(opened_bytes_)
                                        : 1;
  progress_.total =
      opened_total_ +
      static_cast<int64_t>(each * static_cast<double>(unopened_bytes_));
}

}  // namespace tfprof::loaders
