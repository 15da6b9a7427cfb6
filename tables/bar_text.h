// Draws a share as a bar of block characters.

#ifndef TFPROF_TABLES_BAR_TEXT_H_
#define TFPROF_TABLES_BAR_TEXT_H_

#include <cstddef>
#include <string>

namespace tfprof::tables {

// Fills `share` of `columns` columns, in eighths of a column; without
// `unicode`, in whole columns of '#'. The rest is spaces. Shares are limited to
// 0 … 1; NaN counts as 0.
std::string BarText(double share, size_t columns, bool unicode);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_BAR_TEXT_H_
