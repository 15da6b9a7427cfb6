#include "loaders/core/kept_files.h"

namespace tfprof::loaders {

void KeptFiles::Add(const std::shared_ptr<const InputFile>& file) {
  if (file->mapped()) files_.push_back(file);
}

void KeptFiles::Begin() {
  for (const std::weak_ptr<const InputFile>& weak : files_) {
    if (const auto file = weak.lock()) file->ForgetReads();
  }
}

absl::Status KeptFiles::Check(bool all) {
  if (!mixed_.ok()) return mixed_;
  for (const std::weak_ptr<const InputFile>& weak : files_) {
    const auto file = weak.lock();
    if (file == nullptr || !(all || file->was_read())) continue;
    absl::Status unchanged = file->CheckUnchanged("after it was loaded");
    if (unchanged.ok()) continue;
    if (file->was_read()) mixed_ = unchanged;
    return unchanged;
  }
  return absl::OkStatus();
}

}  // namespace tfprof::loaders
