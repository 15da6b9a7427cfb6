// Logs the damage that an EventScanner found in a file.

#ifndef TFPROF_LOADERS_CHROME_JSON_SCAN_LOG_H_
#define TFPROF_LOADERS_CHROME_JSON_SCAN_LOG_H_

#include "loaders/chrome_json/event_scanner.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"

namespace tfprof {

// Call this after the last event. Dropped events, and text after the point
// where the scanner gave up, are damage; repaired events and an array without
// its closing bracket are notices.
void LogScan(const InputFile& file, const EventScanner& scanner,
             ImportLog& log);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_SCAN_LOG_H_
