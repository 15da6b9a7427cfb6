// An answer for people: the facts as lines, then the rows, aligned
// (render_table.h); several tables are separated by empty lines, each below its
// title. Of several tables, those without rows are skipped.

#ifndef TFPROF_TABLES_SCREEN_WRITER_H_
#define TFPROF_TABLES_SCREEN_WRITER_H_

#include <cstddef>
#include <string_view>

#include "tables/data_table.h"
#include "tables/text_look.h"
#include "util/sink.h"

namespace tfprof {

// `introduction` has sentences that are harmless to a terminal, a line each.
// They come first, and only if there is a window.
void WriteScreen(const DataDocument& document, std::string_view introduction,
                 const TextLook& look, Sink& sink);

// The number of lines if none is broken or cut, without the introduction, which
// may scroll away.
size_t ScreenLines(const DataDocument& document, const TextLook& look);

}  // namespace tfprof

#endif  // TFPROF_TABLES_SCREEN_WRITER_H_
