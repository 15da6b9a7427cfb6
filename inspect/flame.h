// Flame: scopes, or lines of code, as the frames of a flame graph. The width of
// a frame is its cost with all below it; frames below it are its parts, and
// what they leave free is its own cost.
//
//   const Flame flame = MakeFlame(views, place, options, kMicros);
//   DataTable table = FlameTable(flame);            // all frames
//   std::string text = FlameText(flame, look);      // what fits on a screen
//
// Costs are those of the view (`scope`, `code`) with the same options, in its
// units: ticks, bytes, counts. Frames without a cost above 0 are left out. The
// parts of a frame may have more than the frame, where a view counts some cost
// twice; they are drawn smaller then, so that they stay below it.
//
// Names point into the views, which must outlive the flame.

#ifndef TFPROF_INSPECT_FLAME_H_
#define TFPROF_INSPECT_FLAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/statistics.h"
#include "inspect/place.h"
#include "tables/data_table.h"
#include "tables/text_look.h"
#include "views/views.h"

namespace tfprof {

struct Flame {
  struct Frame {
    std::string_view name;  // the last part
    uint32_t depth = 0;
    uint32_t end = 0;  // the first frame that is not below this one
    int64_t total = 0;
    int64_t self = 0;
    double start = 0;  // 0 to 1, of the whole
    double width = 0;  // as drawn
  };

  const Profile* profile = nullptr;
  View tree = View::kScope;
  std::string place;  // "/conv1", "code:/"
  Stat stat = kMicros;
  int64_t step = 0;
  // Before their parts, parts side by side from the largest. The first is the
  // place.
  std::vector<Frame> frames;
  // Frames whose parts have more than themselves.
  size_t overfull = 0;

  int64_t whole() const { return frames.empty() ? 0 : frames[0].total; }
};

// The statistic that a flame graph shows if none is asked for: time, or what a
// profile without times has instead. nullopt: nothing.
std::optional<Stat> FlameCost(Views& views, const ViewOptions& options);

// `options.max_depth` counts from the root of the view. No frames: the place
// has no cost.
Flame MakeFlame(Views& views, const Place& place, const ViewOptions& options,
                Stat stat);

// The tree of the place that has levels: that of the code, if scopes have none.
Place PlaceWithLevels(Views& views, const Place& place,
                      const ViewOptions& options, Stat stat);

// A row for each frame.
DataTable FlameTable(const Flame& flame);

// At most `look.height` lines (0: all levels) of `look.page()` columns.
std::string FlameText(const Flame& flame, const TextLook& look);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_FLAME_H_
