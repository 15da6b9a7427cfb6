// Cells as text: for programs in full, for people short and with their unit.
//
// Programs get all digits in the C locale. People get the numbers of the
// reference's reports (numbers.h), shares in percent, and of what is no whole
// number four digits.

#ifndef TFPROF_TABLES_CELL_TEXT_H_
#define TFPROF_TABLES_CELL_TEXT_H_

#include <string>
#include <string_view>

#include "tables/data_table.h"

namespace tfprof {

inline bool IsNothing(const DataCell& cell) {
  return std::holds_alternative<std::monostate>(cell);
}

// Its number, whether whole or not; 0: it has none.
double NumberOf(const DataCell& cell);

// Appends a number in full, or `nothing` where there is none, or none that has
// digits.
void AppendNumber(const DataCell& cell, std::string_view nothing,
                  std::string* out);

// "4.54ms", "12.5%", "451"; "-" where there is none.
std::string NumberText(const DataCell& cell, Unit unit);
// The same for a difference: "+90us", "-4.54ms", "+20.0%".
std::string DeltaText(const DataCell& cell, Unit unit);

}  // namespace tfprof

#endif  // TFPROF_TABLES_CELL_TEXT_H_
