// An answer for people: the facts as lines, then the rows, aligned
// (render_table.h); several tables apart by an empty line, each under its
// title, if they have rows.

#ifndef TFPROF_TABLES_SCREEN_WRITER_H_
#define TFPROF_TABLES_SCREEN_WRITER_H_

#include <cstddef>
#include <string_view>

#include "tables/data_table.h"
#include "tables/text_look.h"
#include "util/sink.h"

namespace tfprof {

// `introduction` are harmless sentences, a line each, that stand before all
// else where there is a window.
void WriteScreen(const DataDocument& document, std::string_view introduction,
                 const TextLook& look, Sink& sink);

// The lines that it takes when none is broken and none is cut, without those of
// the introduction, which may scroll away.
size_t ScreenLines(const DataDocument& document, const TextLook& look);

}  // namespace tfprof

#endif  // TFPROF_TABLES_SCREEN_WRITER_H_
