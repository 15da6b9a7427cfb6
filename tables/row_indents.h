// RowIndents: how far the first column of each row of a tree is indented.
//
// Each level adds two columns, or one if the tree is deep for the window. At
// most three tenths of the window are indents: rows that are deeper begin with
// their depth, as "17> ". A table that is no tree has no indents.

#ifndef TFPROF_TABLES_ROW_INDENTS_H_
#define TFPROF_TABLES_ROW_INDENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "tables/data_table.h"

namespace tfprof {

class RowIndents {
 public:
  static constexpr size_t kNoRow = SIZE_MAX;  // such as that of the totals

  RowIndents() = default;
  // For the first `rows` rows of `table`, which must live as long as this.
  // `width` of the window in columns; 0: there is no window.
  RowIndents(const DataTable& table, size_t rows, size_t width);

  // What comes before the name in the row.
  std::string Lead(size_t row) const;

  // The longest lead, in columns.
  size_t deepest() const { return deepest_; }

 private:
  const DataTable* table_ = nullptr;  // null: no tree
  size_t step_ = 2;                   // of a level
  size_t deepest_ = 0;
};

}  // namespace tfprof

#endif  // TFPROF_TABLES_ROW_INDENTS_H_
