// The details of a row or a step as the lines of a pane.

#ifndef TFPROF_PROFILER_TUI_DETAILS_H_
#define TFPROF_PROFILER_TUI_DETAILS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tables/data_table.h"

namespace tfprof::tui {

// The facts of `document`, and its tables as on any screen of `width` columns
// (tables/writers/screen_writer.h). Numbers that are 0 are left out, but for
// the times. A fact for which there is no room beside its title is below it.
// The lines are harmless to a terminal; without `unicode` they are ASCII.
std::vector<std::string> DetailLines(const tables::DataDocument& document,
                                     size_t width, bool unicode);

// A text as lines of at most `width` columns, cut anywhere. `width` is not 0.
std::vector<std::string> CutLines(std::string_view text, size_t width,
                                  bool unicode);

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_DETAILS_H_
