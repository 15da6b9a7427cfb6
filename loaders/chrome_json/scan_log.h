// Reports the damage that an EventScanner met.

#ifndef TFPROF_LOADERS_CHROME_JSON_SCAN_LOG_H_
#define TFPROF_LOADERS_CHROME_JSON_SCAN_LOG_H_

#include "loaders/chrome_json/event_scanner.h"
#include "loaders/import_log.h"
#include "loaders/input_file.h"

namespace tfprof {

// After the scanner's last event. Events that were dropped are damage, those
// that were read around damage are not. An array without its end is none
// either: the format allows that, and programs that are killed leave it so.
void LogScan(const InputFile& file, const EventScanner& scanner,
             ImportLog& log);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_SCAN_LOG_H_
