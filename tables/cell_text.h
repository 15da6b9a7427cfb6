// Formats cells as text: exact numbers for programs, short numbers with a unit
// for people.
//
// Programs get all digits in the C locale. People get numbers as in the
// reference's reports (numbers.h), shares in percent, and other fractions with
// four digits. Bytes have larger units than megabytes, the reference's largest
// unit: "3.35GB". Rates and float operations have special units.

#ifndef TFPROF_TABLES_CELL_TEXT_H_
#define TFPROF_TABLES_CELL_TEXT_H_

#include <string>
#include <string_view>

#include "tables/data_table.h"

namespace tfprof::tables {

inline bool IsNothing(const DataCell& cell) {
  return std::holds_alternative<std::monostate>(cell);
}

// Returns the number in a cell, integer or not; 0 if it has none.
double NumberOf(const DataCell& cell);

// Appends a number with all digits. Appends `nothing` if there is no number, or
// if it is infinite or NaN.
void AppendNumber(const DataCell& cell, std::string_view nothing,
                  std::string* out);

// Returns "4.54ms", "12.5%" or "451"; "-" if there is no number.
std::string NumberText(const DataCell& cell, util::Unit unit);
// The same for a cell of `column`, whose name may define a special unit:
// "..._per_second" are rates and "float_ops" are operations, such as "989.50
// TFLOP/s", "3.35 TB/s" or "515.40 GFLOP".
std::string NumberText(const DataCell& cell, const DataColumn& column);
// The same for a difference, such as "+90us", "-4.54ms" or "+20.0%".
std::string DeltaText(const DataCell& cell, util::Unit unit);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_CELL_TEXT_H_
