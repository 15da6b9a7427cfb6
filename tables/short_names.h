// Names that do not fit into a column: what is shown instead of each.
//
// Names of one list mostly begin alike and end alike, so that cutting each for
// itself makes them equal: "resnet/bl…conv1/Conv2D" twice. Here the end of a
// name stays, a row of a tree is shown by what it adds to the name of the row
// above it ("…/conv1"), and names that would still look the same are shown by
// the part in which they differ ("…block1…conv1/Conv2D").
//
// Widths are columns of a terminal (text_layout.h). Texts must be harmless to
// one (safe_text.h).

#ifndef TFPROF_TABLES_SHORT_NAMES_H_
#define TFPROF_TABLES_SHORT_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

struct LongName {
  std::string text;
  size_t columns = 0;         // that it may take
  size_t parent = kNoParent;  // its index in the list

  static constexpr size_t kNoParent = SIZE_MAX;
};

// The texts to show, by index; names that fit are unchanged. Those of one
// parent differ wherever a name has room for the part in which it differs.
std::vector<std::string> ShortNames(const std::vector<LongName>& names,
                                    std::string_view ellipsis);

}  // namespace tfprof

#endif  // TFPROF_TABLES_SHORT_NAMES_H_
