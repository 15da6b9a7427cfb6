// RowIndents: the indentation of the first column for each row of a tree.
//
// Each level adds two columns, or one if the tree is too deep for the window.
// The indentation is at most three tenths of the window: deeper rows begin with
// their depth, such as "17> ". A table that is not a tree is not indented.

#ifndef TFPROF_TABLES_WRITERS_ROW_INDENTS_H_
#define TFPROF_TABLES_WRITERS_ROW_INDENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "tables/data_table.h"

namespace tfprof::tables {

class RowIndents {
 public:
  static constexpr size_t kNoRow = SIZE_MAX;  // a row such as the totals

  RowIndents() = default;
  // Computes the indentation of the first `rows` rows of `table`, which must
  // outlive this object. `width` is the width of the window in columns; 0: no
  // window.
  RowIndents(const DataTable& table, size_t rows, size_t width);

  // Returns the text before the name in the row.
  std::string Lead(size_t row) const;

  // The widest text before a name, in columns.
  size_t deepest() const { return deepest_; }

 private:
  const DataTable* table_ = nullptr;  // null: not a tree
  size_t step_ = 2;                   // columns per level
  size_t deepest_ = 0;
};

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_ROW_INDENTS_H_
