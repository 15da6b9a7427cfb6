#include "loaders/perfetto/slice_pairs.h"

#include <algorithm>
#include <cstdint>
#include <span>
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

bool IsEnd(const Mark& mark) { return (mark.of & kEndBit) != 0; }

// A writer may write all begins of a track and then all ends, in the order of
// its slices. This shows where the ends are not in the order of time: each is
// that of the begin at the same place, and slices that touch are told apart.
bool AreListed(std::span<const Mark> marks) {
  const size_t half = marks.size() / 2;
  const std::span<const Mark> begins = marks.first(half);
  const std::span<const Mark> ends = marks.subspan(half);
  if (begins.size() != ends.size() || std::ranges::any_of(begins, IsEnd) ||
      !std::ranges::all_of(ends, IsEnd) ||
      std::ranges::is_sorted(ends, {}, &Mark::time)) {
    return false;
  }
  for (size_t i = 0; i < half; ++i) {
    if (ends[i].time < begins[i].time) return false;
  }
  return true;
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
    if (const std::span<const Mark> of_track(first, behind);
        AreListed(of_track)) {
      const size_t half = of_track.size() / 2;
      for (size_t i = 0; i < half; ++i) {
        finish(of_track[i].of, of_track[half + i].time);
      }
      continue;
    }
    if (!std::is_sorted(first, behind, earlier)) {
      std::stable_sort(first, behind, earlier);
    }
    for (auto mark = first; mark != behind; ++mark) {
      if (!IsEnd(*mark)) {
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
