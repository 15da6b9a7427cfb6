// A DataTable for people: aligned columns, numbers at the right with units, the
// rows of a tree indented.
//
// With a width, as for a terminal, columns are dropped by their rank, names are
// shortened in the middle, sentences are broken into lines, and no line is
// longer than the width. With a height, rows at the end are not shown, and a
// line says how many. The column of heat has a bar for its share; with colour,
// heavy rows are red or yellow and light ones dim. Names are made harmless
// first (safe_text.h); the only escape sequences are our own. Without width and
// colour: whole names, for files.

#ifndef TFPROF_TABLES_RENDER_TABLE_H_
#define TFPROF_TABLES_RENDER_TABLE_H_

#include <cstddef>

#include "tables/data_table.h"
#include "tables/text_look.h"
#include "util/sink.h"

namespace tfprof {

void RenderTable(const DataTable& table, const TextLook& look, Sink& sink);

// The number of lines of a table without a height, if none is broken.
size_t TableLines(const DataTable& table);

}  // namespace tfprof

#endif  // TFPROF_TABLES_RENDER_TABLE_H_
