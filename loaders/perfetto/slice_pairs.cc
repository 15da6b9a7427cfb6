#include "loaders/perfetto/slice_pairs.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "util/arithmetic.h"

namespace tfprof::perfetto {
namespace {

// Returns the marks in ascending track, then in the order of the file, and
// where the marks of each track end.
std::vector<Mark> ByTrack(const std::vector<Mark>& marks, size_t num_tracks,
                          std::vector<size_t>& ends) {
  ends.assign(num_tracks, 0);
  for (const Mark& mark : marks) ++ends[mark.track];
  size_t total = 0;
  for (size_t& end : ends) total += std::exchange(end, total);
  std::vector<Mark> sorted(marks.size());
  for (const Mark& mark : marks) sorted[ends[mark.track]++] = mark;
  return sorted;
}

int64_t LastTime(const TraceTables& tables) {
  int64_t last = INT64_MIN;
  for (const Mark& mark : tables.marks) last = std::max(last, mark.time);
  for (const Slice& slice : tables.slices) {
    last = std::max(
        last,
        util::SaturatingAdd(slice.time, std::max<int64_t>(0, slice.duration)));
  }
  return last;
}

}  // namespace

void PairSlices(TraceTables& tables, PacketLog& log) {
  const int64_t last = LastTime(tables);
  std::vector<size_t> ends;
  std::vector<Mark> marks = ByTrack(tables.marks, tables.tracks.size(), ends);
  tables.marks = {};
  const auto earlier = [](const Mark& a, const Mark& b) {
    return a.time < b.time;
  };
  const auto finish = [&](uint32_t slice, int64_t end) {
    Slice& of = tables.slices[slice];
    of.duration = std::max<int64_t>(0, util::WrapSub(end, of.time));
  };
  std::vector<std::pair<uint32_t, int64_t>> open;  // slice, next begin
  size_t begin = 0;
  for (const size_t end : ends) {
    const auto first = marks.begin() + static_cast<int64_t>(begin);
    const auto behind = marks.begin() + static_cast<int64_t>(end);
    begin = end;
    if (!std::is_sorted(first, behind, earlier)) {
      std::stable_sort(first, behind, earlier);
    }
    for (auto mark = first; mark != behind; ++mark) {
      if ((mark->of & kEndBit) == 0) {
        // In order, the mark behind a begin without an end is a begin.
        const bool is_last = mark + 1 == behind;
        open.emplace_back(mark->of, is_last ? last : (mark + 1)->time);
      } else if (open.empty()) {
        log.Damage("end without a begin",
                   std::string_view(tables.ends[mark->of & ~kEndBit], 0),
                   "a slice ends that did not begin; the end is skipped");
      } else {
        finish(open.back().first, mark->time);
        open.pop_back();
      }
    }
    for (const auto& [slice, next] : open) {
      // Work of a stream runs one after the other.
      const Slice& of = tables.slices[slice];
      const bool is_work = of.device >= 0 && of.has_stream;
      log.Notice("begin without an end", of.record.bytes(),
                 is_work ? "work of a GPU has no end; it lasts until the next "
                           "work of its track"
                         : "a slice has no end; it lasts until the end of the "
                           "trace");
      finish(slice, is_work ? next : last);
    }
    open.clear();
  }
  tables.ends = {};
}

}  // namespace tfprof::perfetto
