// Renders a DataTable for people: aligned columns, right-aligned numbers with
// units, and an indented tree.
//
// With a width, as for a terminal, columns are dropped by their rank, names are
// shortened in the middle, sentences are broken into lines, and no line is
// longer than the width. With a height, rows at the end are not shown, and a
// line gives their number. The heat column has a bar for its share; with
// colour, heavy rows are red or yellow and light ones dim. Names are made safe
// first (safe_text.h), so all escape sequences are ours. Without width and
// colour, names are complete, for files.

#ifndef TFPROF_TABLES_WRITERS_RENDER_TABLE_H_
#define TFPROF_TABLES_WRITERS_RENDER_TABLE_H_

#include <cstddef>

#include "tables/data_table.h"
#include "tables/text_look.h"
#include "util/files/sink.h"

namespace tfprof::tables {

void RenderTable(const DataTable& table, const TextLook& look,
                 util::Sink& sink);

// Returns the number of lines of a table without a height, if no line is
// broken.
size_t TableLines(const DataTable& table);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_RENDER_TABLE_H_
