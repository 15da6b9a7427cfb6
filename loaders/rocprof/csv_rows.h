// CsvRows: reads the rows of a CSV file, one after the other.
//
//   CsvRows rows(bytes);
//   while (rows.Next()) {
//     rows.cells() … rows.offset() …
//   }
//
// A cell may be in quotes, and then has commas, line ends and doubled quotes.
// rocprofv3 does not double the quotes of its texts, so a quote ends a cell
// only before a comma or the end of a line. If a row does not have as many
// cells as the first one, it is read again with no quote doubled, and then line
// by line: a missing quote costs one row. What is read again is limited to the
// size of the file, so that reading takes linear time.
//
// Lines end with LF or CR LF. Empty lines and a byte order mark are skipped.
// Offsets count from the beginning of the bytes, which must outlive this.

#ifndef TFPROF_LOADERS_ROCPROF_CSV_ROWS_H_
#define TFPROF_LOADERS_ROCPROF_CSV_ROWS_H_

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tfprof::rocprof {

class CsvRows {
 public:
  explicit CsvRows(std::string_view bytes);

  // Goes to the next row. Returns false at the end.
  bool Next();

  // The cells of the row; valid until the next one.
  const std::vector<std::string_view>& cells() const { return cells_; }
  // Where the row begins, and where it ends, without its line feed.
  size_t offset() const { return begin_; }
  size_t end() const { return at_; }
  // Where a cell begins and ends in the file, with its quotes.
  std::pair<size_t, size_t> PlaceOf(size_t cell) const {
    return {cell == 0 ? begin_ : ends_[cell - 1] + 1, ends_[cell]};
  }
  // Whether the row has as many cells as the first one; empty ones at its end
  // do not count.
  bool whole() const { return whole_; }
  // The file ends inside a quoted cell of the row.
  bool cut() const { return cut_; }

 private:
  // Reads the row at begin_. `doubled`: two quotes are one. Returns whether the
  // row is whole.
  bool ReadRow(bool doubled);
  // Takes the rest of a quoted cell.
  std::string_view TakeQuoted(bool doubled);
  bool IsCellEnd(size_t at) const;

  const std::string_view bytes_;
  size_t at_ = 0;
  size_t begin_ = 0;
  size_t again_;  // how many bytes may still be read again
  size_t columns_ = 0;
  std::vector<std::string_view> cells_;
  std::vector<size_t> ends_;         // of the cells
  std::deque<std::string> buffers_;  // of cells with doubled quotes
  bool whole_ = false, cut_ = false;
};

}  // namespace tfprof::rocprof

#endif  // TFPROF_LOADERS_ROCPROF_CSV_ROWS_H_
