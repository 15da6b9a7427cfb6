// Cells as text: for programs in full, for people short and with their unit.
//
// Programs get all digits in the C locale. People get numbers as in the
// reference's reports (numbers.h), shares in percent, and other fractions with
// four digits. Bytes go on behind megabytes, which are the reference's last
// unit: "3.35GB". Rates and float operations have units of their own.

#ifndef TFPROF_TABLES_CELL_TEXT_H_
#define TFPROF_TABLES_CELL_TEXT_H_

#include <string>
#include <string_view>

#include "tables/data_table.h"

namespace tfprof {

inline bool IsNothing(const DataCell& cell) {
  return std::holds_alternative<std::monostate>(cell);
}

// The number of a cell, integer or not. 0 if it has none.
double NumberOf(const DataCell& cell);

// Appends a number in full. Appends `nothing` if there is no number, or one
// without digits: infinite or NaN.
void AppendNumber(const DataCell& cell, std::string_view nothing,
                  std::string* out);

// "4.54ms", "12.5%", "451"; "-" if there is no number.
std::string NumberText(const DataCell& cell, Unit unit);
// The same for a cell of `column`, whose name tells what its numbers are:
// "..._per_second" are rates and "float_ops" operations, "989.50 TFLOP/s",
// "3.35 TB/s", "515.40 GFLOP".
std::string NumberText(const DataCell& cell, const DataColumn& column);
// The same for a difference: "+90us", "-4.54ms", "+20.0%".
std::string DeltaText(const DataCell& cell, Unit unit);

}  // namespace tfprof

#endif  // TFPROF_TABLES_CELL_TEXT_H_
