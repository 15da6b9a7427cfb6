// Matches the begins and ends of slices.
//
// On each track, an end belongs to the last earlier begin that has no end yet;
// marks of the same time are in the order of the file. Begins without an end
// last until the end of the trace; ends without a begin are dropped and
// counted. Times are in nanoseconds.

#ifndef TFPROF_LOADERS_CHROME_JSON_CHROME_SLICE_PAIRS_H_
#define TFPROF_LOADERS_CHROME_JSON_CHROME_SLICE_PAIRS_H_

#include <cstdint>
#include <vector>

#include "loaders/chrome_json/chrome/chrome_events.h"

namespace tfprof::chrome_json {

// A begin has all of a slice except its duration; an end has its time as
// `start`.
struct SliceMark {
  ChromeSlice slice;
  bool is_end = false;
};

struct SlicePairs {
  std::vector<ChromeSlice> slices;
  int64_t open_begins = 0;
  int64_t lost_ends = 0;
};

// `end_of_trace` must not be earlier than any mark.
SlicePairs PairSlices(std::vector<SliceMark> marks, int64_t end_of_trace);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_CHROME_SLICE_PAIRS_H_
