#include "loaders/chrome_json/scan_log.h"

#include <fmt/format.h>

#include <string>

namespace tfprof {
namespace {

constexpr std::string_view kDropped = "damaged event dropped";
constexpr std::string_view kRepaired = "damaged event repaired";
constexpr std::string_view kTruncated = "file without its end";

}  // namespace

void LogScan(const InputFile& file, const EventScanner& scanner,
             ImportLog& log) {
  const int64_t dropped = scanner.dropped_events();
  const int64_t repaired = scanner.repaired_events();
  std::string first;
  if (!scanner.damage().empty()) first = scanner.damage().front();
  if (dropped > 0) {
    log.Add(ImportLog::kDamage, std::string(kDropped),
            fmt::format("{}: {} events are damaged and could not be read, the "
                        "first damage is at {}; the others are shown",
                        file.path(), dropped, first));
    log.Count(ImportLog::kDamage, kDropped, dropped - 1);
  }
  if (repaired > 0) {
    log.Add(ImportLog::kNotice, std::string(kRepaired),
            fmt::format("{}: {} events are not valid JSON and were "
                        "repaired, the first damage is at {}",
                        file.path(), repaired, first));
    log.Count(ImportLog::kNotice, kRepaired, repaired - 1);
  }
  if (dropped == 0 && repaired == 0 && !first.empty()) {
    log.Add(ImportLog::kDamage, "damaged file",
            fmt::format("{}: {}; what was read is shown", file.path(), first));
  }
  if (scanner.gave_up_at() != std::string_view::npos) {
    log.Add(ImportLog::kDamage, "file given up",
            fmt::format("{}: nearly all of it is damaged; nothing after byte "
                        "{} was read",
                        file.path(), scanner.gave_up_at()));
  } else if (scanner.truncated()) {
    // The format allows an array without an end. An object without an end was
    // cut.
    const bool is_array = file.bytes().starts_with('[');
    log.Add(is_array ? ImportLog::kNotice : ImportLog::kDamage,
            std::string(kTruncated),
            fmt::format("{}: byte {}: the file ends without its closing "
                        "brackets: it was cut, or the program was killed; the "
                        "events before are shown",
                        file.path(), file.bytes().size()));
  }
}

}  // namespace tfprof
