#include "loaders/chrome_json/chrome/slice_pairs.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tfprof::chrome_json {

SlicePairs PairSlices(std::vector<SliceMark> marks, int64_t end_of_trace) {
  std::stable_sort(marks.begin(), marks.end(),
                   [](const SliceMark& a, const SliceMark& b) {
                     return std::tie(a.slice.track, a.slice.start) <
                            std::tie(b.slice.track, b.slice.start);
                   });
  SlicePairs pairs;
  std::vector<size_t> open;  // indexes of slices
  const auto close = [&](int64_t end) {
    ChromeSlice& slice = pairs.slices[open.back()];
    slice.duration = end - slice.start;
    open.pop_back();
  };
  for (size_t i = 0; i < marks.size(); ++i) {
    const SliceMark& mark = marks[i];
    if (!mark.is_end) {
      open.push_back(pairs.slices.size());
      pairs.slices.push_back(mark.slice);
    } else if (!open.empty()) {
      close(mark.slice.start);
    } else {
      ++pairs.lost_ends;
    }
    if (i + 1 == marks.size() || marks[i + 1].slice.track != mark.slice.track) {
      for (; !open.empty(); ++pairs.open_begins) close(end_of_trace);
    }
  }
  return pairs;
}

}  // namespace tfprof::chrome_json
