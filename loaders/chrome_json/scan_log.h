// Logs the damage that an EventScanner found in a file.

#ifndef TFPROF_LOADERS_CHROME_JSON_SCAN_LOG_H_
#define TFPROF_LOADERS_CHROME_JSON_SCAN_LOG_H_

#include "loaders/chrome_json/event_scanner.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"

namespace tfprof::chrome_json {

// Call this after the last event. Dropped events, and text after the point
// where the scanner gave up, are damage; repaired events and an array without
// its closing bracket are notices.
void LogScan(const loaders::InputFile& file, const EventScanner& scanner,
             loaders::ImportLog& log);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_SCAN_LOG_H_
