#include "loaders/chrome_json/scan_log.h"

#include <fmt/format.h>

#include <string>

namespace tfprof::chrome_json {
namespace {

constexpr std::string_view kDropped = "damaged event dropped";
constexpr std::string_view kRepaired = "damaged event repaired";
constexpr std::string_view kWithoutArguments = "arguments of a damaged event";
constexpr std::string_view kTruncated = "file without its end";

}  // namespace

void LogScan(const loaders::InputFile& file, const EventScanner& scanner,
             loaders::ImportLog& log) {
  const int64_t dropped = scanner.dropped_events();
  const int64_t repaired = scanner.repaired_events();
  std::string first;
  if (!scanner.damage().empty()) first = scanner.damage().front();
  if (dropped > 0) {
    log.Add(
        loaders::ImportLog::kDamage, kDropped,
        fmt::format(
            "{}: {} damaged and could not be read, the first damage "
            "is at {}; the others are shown",
            file.path(),
            dropped == 1 ? "1 event is" : fmt::format("{} events are", dropped),
            first),
        dropped);
  }
  if (repaired > 0) {
    log.Add(
        loaders::ImportLog::kNotice, kRepaired,
        fmt::format("{}: {} repaired, the first damage is at {}", file.path(),
                    repaired == 1
                        ? "1 event was not valid JSON and was"
                        : fmt::format("{} events were not valid JSON and were",
                                      repaired),
                    first),
        repaired);
  }
  if (dropped == 0 && repaired == 0 && !first.empty()) {
    log.Add(loaders::ImportLog::kDamage, "damaged file",
            fmt::format("{}: {}; what was read is shown", file.path(), first));
  }
  if (const int64_t lost = scanner.events_without_args(); lost > 0) {
    log.Add(loaders::ImportLog::kDamage, kWithoutArguments,
            fmt::format("{}: {} of these events were read without their "
                        "arguments, which are damaged",
                        file.path(), lost),
            lost);
  }
  if (scanner.text_behind() != std::string_view::npos) {
    log.Add(loaders::ImportLog::kDamage, "text after the end",
            fmt::format("{}: byte {}: expected the end of the file; the {} "
                        "bytes from here on were not read",
                        file.path(), scanner.text_behind(),
                        scanner.size() - scanner.text_behind()));
  }
  if (scanner.gave_up_at() != std::string_view::npos) {
    log.Add(loaders::ImportLog::kDamage, "file given up",
            fmt::format("{}: nearly all of it is damaged; nothing after byte "
                        "{} was read",
                        file.path(), scanner.gave_up_at()));
  } else if (scanner.truncated()) {
    // The format allows an array without an end. An object without an end was
    // cut.
    const bool is_array = scanner.is_array();
    log.Add(
        is_array ? loaders::ImportLog::kNotice : loaders::ImportLog::kDamage,
        kTruncated,
        fmt::format("{}: byte {}: the file ends without its closing "
                    "brackets: it was cut, or the program was killed; the "
                    "events before are shown",
                    file.path(), file.bytes().size()));
  }
}

}  // namespace tfprof::chrome_json
