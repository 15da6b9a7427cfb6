// A DataTable for people: aligned columns, numbers at the right with units, the
// rows of a tree indented.
//
// With a width, as a terminal has it, columns give way by their rank, names are
// shortened in the middle, sentences broken into lines, and no line is longer.
// With a height, rows are left out at the end, and a line says how many. The
// column of heat gets a bar of its share, and with colour heavy rows are red
// and yellow, light ones dim. Names are made harmless first (safe_text.h); the
// only escape sequences are our own. Without width and colour: whole names, for
// files.

#ifndef TFPROF_TABLES_RENDER_TABLE_H_
#define TFPROF_TABLES_RENDER_TABLE_H_

#include <cstddef>

#include "tables/data_table.h"
#include "tables/text_look.h"
#include "util/sink.h"

namespace tfprof {

void RenderTable(const DataTable& table, const TextLook& look, Sink& sink);

// The lines that a table takes without a height, none of them broken.
size_t TableLines(const DataTable& table);

}  // namespace tfprof

#endif  // TFPROF_TABLES_RENDER_TABLE_H_
