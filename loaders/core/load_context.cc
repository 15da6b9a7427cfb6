#include "loaders/core/load_context.h"

#include "fmt/format.h"

namespace tfprof::loaders {

void LogIfEmpty(const InputFile& file, std::string_view format,
                ImportLog& log) {
  if (!file.bytes().empty()) return;
  log.Add(ImportLog::kNotice, "empty file",
          fmt::format("{}: the file is empty, a {} without content",
                      file.path(), format));
}

void LogDamage(const InputFile& file, const util::WireReader& r,
               std::string_view message, std::string_view what, bool kept,
               ImportLog& log) {
  const std::string kind = kept ? fmt::format("{} cut short", what)
                                : fmt::format("{} dropped", what);
  if (!log.WantsText(kind)) return log.Count(ImportLog::kDamage, kind, 1);
  const std::string where =
      r.damaged() ? r.Describe(file.OffsetOf(message))
                  : fmt::format("byte {}: a message inside ends early",
                                file.OffsetOf(message));
  log.Add(ImportLog::kDamage, kind,
          kept ? fmt::format("{}: {}: {}; kept the first {} of {} bytes",
                             file.path(), where, kind, r.good_bytes(),
                             message.size())
               : fmt::format("{}: {}: {} ({} bytes)", file.path(), where, kind,
                             message.size()));
}

}  // namespace tfprof::loaders
