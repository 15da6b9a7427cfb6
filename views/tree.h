// AccountedTree: the rows of a scope, graph or code view after accounting, and
// the rules for showing them, which the three views share.
//
// Row 0 is the root, `_TFProfRoot`; the children of a row are the rows that
// were accounted or have accounted descendants, in the view's own order. A row
// has *self* values (its node's for the step) and *total* values (its own and
// those of its kept descendants). Made once for a step and a list of account
// types; every display option works on it without accounting again.

#ifndef TFPROF_VIEWS_TREE_H_
#define TFPROF_VIEWS_TREE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "accounting/node_stats.h"
#include "util/work.h"
#include "views/options.h"

namespace tfprof {

inline constexpr std::string_view kRootName = "_TFProfRoot";
inline constexpr uint32_t kRootRow = 0;

struct AccountedTree {
  // By row. `names` belongs to the view's structure, which outlives this.
  const std::vector<std::string_view>* names = nullptr;
  // Self values are self_table[self_index[row]]; kNone: all zero.
  std::shared_ptr<const StatsTable> self_table;
  std::vector<uint32_t> self_index;
  StatsTable total;
  // Scope and graph: rows defined below and including this one.
  std::vector<int64_t> definitions;
  // Code: distinct graph nodes on the row itself.
  std::vector<int64_t> node_count;
  std::vector<uint8_t> accounted;
  std::vector<uint32_t> child_begin;  // one entry more than rows
  std::vector<uint32_t> children;

  // No statistic of any row is negative, so that thresholds of 0 hide nothing.
  bool nonnegative = false;

  size_t size() const { return total.size(); }
  const Stats& self(uint32_t row) const;
  std::span<const uint32_t> children_of(uint32_t row) const {
    return {children.data() + child_begin[row],
            children.data() + child_begin[row + 1]};
  }
};

// Sets nonnegative of `tree`, when all else is there.
void FindNegative(AccountedTree& tree, const Work& work);

// Fills child_begin and children of `tree` with the kept rows of each parent,
// in ascending row number.
void LinkChildren(const std::vector<uint32_t>& parent,
                  const std::vector<uint8_t>& kept, AccountedTree& tree);

// A row that the display options show.
struct ShownRow {
  uint32_t row = 0;
  uint32_t depth = 0;  // number of shown rows above it; the root has 0
  // Its place among the shown rows in post-order.
  uint32_t closed = 0;
};

// The rows to print, in pre-order, the root first.
struct ShownRows {
  std::vector<ShownRow> rows;
  // With account_displayed_only: totals and definitions of each row over the
  // rows shown. Else empty: they are those of the tree.
  std::vector<Stats> totals;
  std::vector<int64_t> definitions;
};

// Start, trim, depth, filter, order and displayed-only re-accounting, as the
// reference does them (spec 4.5 to 4.8, 5.2, 6.2, 8.3). `view` selects the
// rules: those of scope and graph, or those of code.
ShownRows Display(const AccountedTree& tree, View view,
                  const ViewOptions& options);

}  // namespace tfprof

#endif  // TFPROF_VIEWS_TREE_H_
