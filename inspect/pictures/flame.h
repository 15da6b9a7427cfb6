// Flame: scopes, or lines of code, as the frames of a flame graph. The width of
// a frame is its cost including everything below it; frames below it are its
// children, and the width that they leave free is its own cost.
//
//   const Flame flame = MakeFlame(views, place, options, kMicros);
//   DataTable table = FlameTable(flame);            // all frames
//   std::string text = FlameText(flame, look);      // limited to a screen
//
// Costs are the costs in the view (`scope`, `code`) with the same options, in
// its units: ticks, bytes, counts. Frames without a cost above 0 are left out.
// If a view counts some cost twice, the children of a frame may cost more than
// the frame; they are then drawn narrower, so that they stay below it.
//
// Names point into the views, which must outlive the flame.

#ifndef TFPROF_INSPECT_PICTURES_FLAME_H_
#define TFPROF_INSPECT_PICTURES_FLAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/statistics.h"
#include "inspect/nodes/place.h"
#include "tables/data_table.h"
#include "tables/text_look.h"
#include "views/views.h"

namespace tfprof::inspect {

struct Flame {
  struct Frame {
    std::string_view name;  // the last part
    uint32_t depth = 0;
    uint32_t end = 0;  // one past the last frame below this one
    int64_t total = 0;
    int64_t self = 0;
    double start = 0;  // 0 to 1, of the full width
    double width = 0;  // as drawn
  };

  const profile::Profile* profile = nullptr;
  views::View tree = views::View::kScope;
  std::string place;  // "/conv1", "code:/"
  accounting::Stat stat = accounting::kMicros;
  int64_t step = 0;
  // Parents precede their children; siblings are sorted by cost, largest first.
  // The first frame is the place.
  std::vector<Frame> frames;
  // The number of frames whose children cost more than they do.
  size_t overfull = 0;

  int64_t whole() const { return frames.empty() ? 0 : frames[0].total; }
};

// The default statistic of a flame graph: the larger one of the times on
// accelerators and on CPUs, or the replacement of time in a profile without
// times. Adds to `notes` what it is, unless all time was on one of them.
// nullopt: the profile has none.
std::optional<accounting::Stat> FlameCost(views::Views& views,
                                          const views::ViewOptions& options,
                                          std::vector<std::string>& notes);

// `options.max_depth` counts from the root of the view. The result has no
// frames if the place has no cost.
Flame MakeFlame(views::Views& views, const Place& place,
                const views::ViewOptions& options, accounting::Stat stat);

// The place in the tree that has levels: the code tree, if the scopes have
// none.
Place PlaceWithLevels(views::Views& views, const Place& place,
                      const views::ViewOptions& options, accounting::Stat stat);

// One row for each frame.
tables::DataTable FlameTable(const Flame& flame);

// At most `look.height` lines (0: all levels) of `look.page()` columns.
std::string FlameText(const Flame& flame, const tables::TextLook& look);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_PICTURES_FLAME_H_
