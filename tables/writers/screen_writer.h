// Writes an answer for people: the facts as lines, then the aligned rows
// (render_table.h). Several tables are separated by empty lines, each below its
// title; then tables without rows are skipped.

#ifndef TFPROF_TABLES_WRITERS_SCREEN_WRITER_H_
#define TFPROF_TABLES_WRITERS_SCREEN_WRITER_H_

#include <cstddef>
#include <string_view>

#include "tables/data_table.h"
#include "tables/text_look.h"
#include "util/files/sink.h"

namespace tfprof::tables {

// `introduction` has sentences, one per line, that are safe for a terminal.
// They come first, and only if there is a window.
void WriteScreen(const DataDocument& document, std::string_view introduction,
                 const TextLook& look, util::Sink& sink);

// Returns the number of lines if none is broken or cut, without the
// introduction, which may scroll away.
size_t ScreenLines(const DataDocument& document, const TextLook& look);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_SCREEN_WRITER_H_
