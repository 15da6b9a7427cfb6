// Shortens names that do not fit into a column, so that they stay different.
//
// Names in a list mostly begin and end alike, so shortening each one separately
// makes them equal: "resnet/bl…conv1/Conv2D" twice. Here the end of a name
// stays, a row of a tree shows only what it adds to the name of its parent
// ("…/conv1"), and names that would still look the same show the part in which
// they differ ("…block1…conv1/Conv2D").
//
// Widths are terminal columns (text_layout.h). Texts must be safe for a
// terminal (safe_text.h).

#ifndef TFPROF_TABLES_WRITERS_SHORT_NAMES_H_
#define TFPROF_TABLES_WRITERS_SHORT_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::tables {

struct LongName {
  std::string text;
  size_t columns = 0;         // the maximum width
  size_t parent = kNoParent;  // index in the list

  static constexpr size_t kNoParent = SIZE_MAX;
};

// Returns the texts to show, by index; names that fit are unchanged. Names with
// the same parent stay different if the part in which they differ fits.
std::vector<std::string> ShortNames(const std::vector<LongName>& names,
                                    std::string_view ellipsis);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_SHORT_NAMES_H_
