#include "loaders/chrome_json/scan_log.h"

#include <string>
#include <string_view>

#include "fmt/format.h"

namespace tfprof {

void LogScan(const InputFile& file, const EventScanner& scanner,
             ImportLog& log) {
  const std::string first =
      scanner.damage().empty() ? "" : ": " + scanner.damage().front();
  if (scanner.repaired_events() > 0) {
    log.Add(ImportLog::kNotice, "trace event read around damage",
            fmt::format("{}: {} events are damaged and were read around that{}",
                        file.path(), scanner.repaired_events(), first));
  }
  if (scanner.dropped_events() > 0) {
    log.Add(ImportLog::kDamage, "trace event dropped",
            fmt::format("{}: {} events could not be read{}", file.path(),
                        scanner.dropped_events(), first));
  } else if (scanner.repaired_events() == 0 && !first.empty()) {
    log.Add(ImportLog::kDamage, "trace file damaged",
            file.path() + first + "; kept all events");
  }
  if (scanner.gave_up_at() != std::string_view::npos) {
    log.Add(ImportLog::kDamage, "trace file not read to its end",
            fmt::format("{}: byte {}: too much damage; the rest is not read",
                        file.path(), scanner.gave_up_at()));
  }
  if (scanner.truncated()) {
    const bool is_array = file.bytes().starts_with('[');
    log.Add(is_array ? ImportLog::kNotice : ImportLog::kDamage,
            "trace file without its end",
            fmt::format("{}: the file ends early, at byte {}; kept the events "
                        "before",
                        file.path(), file.bytes().size()));
  }
}

}  // namespace tfprof
