// A share as a bar of block characters.

#ifndef TFPROF_TABLES_BAR_TEXT_H_
#define TFPROF_TABLES_BAR_TEXT_H_

#include <cstddef>
#include <string>

namespace tfprof {

// `share` of `columns` columns is filled, in eighths of a column; without
// `unicode`, in whole ones of '#'. The rest is blank. Shares beyond 0 and 1 are
// these; NaN is 0.
std::string BarText(double share, size_t columns, bool unicode);

}  // namespace tfprof

#endif  // TFPROF_TABLES_BAR_TEXT_H_
