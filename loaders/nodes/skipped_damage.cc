#include "loaders/nodes/skipped_damage.h"

#include <cstdint>
#include <optional>

#include "fmt/format.h"

namespace tfprof::loaders {

void CheckStructure(const Format& format, const InputFile& file,
                    const util::Cancellation* cancellation, ImportLog& log) {
  if (format.find_damage == nullptr) return;
  const std::optional<uint64_t> damage =
      format.find_damage(file.bytes(), cancellation);
  if (!damage.has_value()) return;
  log.Add(ImportLog::kDamage, "damage inside a record",
          fmt::format("{}: byte {}: a field inside a record is damaged, and "
                      "its content is missing; copy the file again",
                      file.path(), *damage));
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
