// RowMarks: which rows of a tree have a text in their names.
//
// Upper and lower case of ASCII are the same. A text with a '/' is looked for
// in whole names, any other one in labels (tree_rows.h), so that `conv1` finds
// the scope and not each row below it.

#ifndef TFPROF_PROFILER_TUI_ROW_MARKS_H_
#define TFPROF_PROFILER_TUI_ROW_MARKS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/tui/tree_rows.h"
#include "util/run/cancellation.h"

namespace tfprof::tui {

class RowMarks {
 public:
  // No text: no row is marked.
  RowMarks() = default;

  // One pass over the rows; those that `within` does not show do not count.
  // False: cancelled, and nothing is marked.
  bool Find(const TreeRows& rows, std::string_view text, const RowMarks& within,
            const util::Cancellation* cancellation);

  const std::string& text() const { return text_; }
  bool active() const { return !text_.empty(); }
  // How many rows have the text.
  size_t count() const { return count_; }

  bool Matches(uint32_t row) const { return active() && bits_[row] & kItself; }
  bool MatchesBelow(uint32_t row) const {
    return active() && bits_[row] & kBelow;
  }
  // As a filter: a row is shown with all rows above and below it.
  bool Shows(uint32_t row) const { return !active() || bits_[row] != 0; }

 private:
  static constexpr uint8_t kItself = 1;
  static constexpr uint8_t kBelow = 2;   // a row below has it
  static constexpr uint8_t kInside = 4;  // a row above has it

  std::string text_;
  std::vector<uint8_t> bits_;
  size_t count_ = 0;
};

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_ROW_MARKS_H_
