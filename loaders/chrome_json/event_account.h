// The account of the bytes of a trace in Chrome's JSON format.
//
// EventScanner reads the text as it does for a load. Read are the members of
// events that the loaders use and the other members of the outer object;
// members of no use and spaces are skipped. An event that was read despite
// damage is repaired, one that was dropped is damaged, as is the rest after the
// scanner gave up, and the part of an event at the end of a cut file.

#ifndef TFPROF_LOADERS_CHROME_JSON_EVENT_ACCOUNT_H_
#define TFPROF_LOADERS_CHROME_JSON_EVENT_ACCOUNT_H_

#include <string_view>

#include "loaders/core/byte_account.h"
#include "loaders/core/input_file.h"
#include "util/run/cancellation.h"

namespace tfprof::chrome_json {

// The account is incomplete after a cancellation.
loaders::ByteAccount AccountEvents(std::string_view text,
                                   const util::Cancellation* cancellation);

// The same, for Format::account.
inline loaders::ByteAccount AccountTrace(
    const loaders::InputFile& file, const util::Cancellation* cancellation) {
  return AccountEvents(file.bytes(), cancellation);
}

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_EVENT_ACCOUNT_H_
