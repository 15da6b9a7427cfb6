#include "loaders/nodes/skipped_damage.h"

#include <algorithm>

#include "fmt/format.h"
#include "util/run/start_thread.h"

namespace tfprof::loaders {

namespace {

void LogDamageAt(const InputFile& file, std::optional<uint64_t> damage,
                 ImportLog& log) {
  if (!damage.has_value()) return;
  log.Add(ImportLog::kDamage, "damage inside a record",
          fmt::format("{}: byte {}: a field inside a record is damaged, and "
                      "its content is missing; copy the file again",
                      file.path(), *damage));
}

}  // namespace

CheckBesideLoad::CheckBesideLoad(const Format& format,
                                 std::span<const FormatFile> files,
                                 const util::TaskOptions& work)
    : format_(format), files_(files), work_(work), damage_(files.size()) {
  const auto checks = [&](const FormatFile& file) { return Checks(file); };
  if (work.threads != 1 && std::ranges::any_of(files, checks)) {
    thread_ = util::StartThread([this] { Check(); });
  }
}

bool CheckBesideLoad::Checks(const FormatFile& file) const {
  return format_.check_beside_load && format_.find_damage != nullptr &&
         file.file != nullptr && file.file->bytes().size() > kCheckedBytes;
}

void CheckBesideLoad::Check() {
  for (size_t i = 0; i < files_.size(); ++i) {
    if (!Checks(files_[i])) continue;
    damage_[i] =
        format_.find_damage(files_[i].file->bytes(), work_.cancellation);
  }
}

void CheckBesideLoad::Finish(ImportLog& log) {
  if (thread_.joinable()) {
    thread_.join();
  } else {
    Check();
  }
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].file) LogDamageAt(*files_[i].file, damage_[i], log);
  }
}

void CheckStructure(const Format& format, const InputFile& file,
                    const util::Cancellation* cancellation, ImportLog& log) {
  if (format.find_damage == nullptr) return;
  LogDamageAt(file, format.find_damage(file.bytes(), cancellation), log);
}

void CheckStructure(std::span<const UncheckedFile> files,
                    const util::Cancellation* cancellation, ImportLog& log) {
  for (const UncheckedFile& unchecked : files) {
    if (const auto file = unchecked.file.lock()) {
      CheckStructure(*unchecked.format, *file, cancellation, log);
    }
  }
}

}  // namespace tfprof::loaders
