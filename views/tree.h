// AccountedTree: the rows of a scope, graph or code view after accounting, and
// the rules for displaying them, which the three views share.
//
// Row 0 is the root, `_TFProfRoot`. The children of a row are the rows that are
// accounted or have accounted descendants, in the view's own order. A row has
// *self* values (its node's for the step) and *total* values (its own and those
// of its kept descendants). The tree is made once for a step and a list of
// account types; every display option works on it without repeating the
// accounting.

#ifndef TFPROF_VIEWS_TREE_H_
#define TFPROF_VIEWS_TREE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "accounting/node_stats.h"
#include "util/run/task_options.h"
#include "views/options.h"

namespace tfprof::views {

inline constexpr std::string_view kRootName = "_TFProfRoot";
inline constexpr uint32_t kRootRow = 0;

struct AccountedTree {
  // Indexed by row. `names` belongs to the view's structure, which must outlive
  // the tree.
  const std::vector<std::string_view>* names = nullptr;
  // The self values are self_table[self_index[row]]; kNone: all zero.
  std::shared_ptr<const accounting::StatsTable> self_table;
  std::vector<uint32_t> self_index;
  accounting::StatsTable total;
  // Scope and graph: the number of nodes and scopes at and below the row.
  std::vector<int64_t> definitions;
  // Code: the number of distinct graph nodes on the row itself.
  std::vector<int64_t> node_count;
  std::vector<uint8_t> accounted;
  std::vector<uint32_t> child_begin;  // one entry more than there are rows
  std::vector<uint32_t> children;

  // No statistic of any row is negative, so thresholds of 0 hide nothing.
  bool nonnegative = false;

  size_t size() const { return total.size(); }
  const accounting::Stats& self(uint32_t row) const;
  std::span<const uint32_t> children_of(uint32_t row) const {
    return {children.data() + child_begin[row],
            children.data() + child_begin[row + 1]};
  }
};

// Sets `nonnegative` of a tree whose other fields are complete.
void FindNegative(AccountedTree& tree, const util::TaskOptions& work);

// Fills child_begin and children of `tree` with the kept rows of each parent,
// in ascending row number.
void LinkChildren(const std::vector<uint32_t>& parent,
                  const std::vector<uint8_t>& kept, AccountedTree& tree);

// A row that is displayed with the current options.
struct ShownRow {
  uint32_t row = 0;
  uint32_t depth = 0;  // number of shown rows above it; 0 for the root
  // Its position among the shown rows in post-order.
  uint32_t closed = 0;
};

// The rows to display in pre-order, starting with the root.
struct ShownRows {
  std::vector<ShownRow> rows;
  // With account_displayed_only, the totals and definitions of each row over
  // the shown rows. Otherwise empty: the tree's values apply.
  std::vector<accounting::Stats> totals;
  std::vector<int64_t> definitions;
};

// Applies start, trim, depth, filters, order and account_displayed_only as the
// reference does (spec 4.5 to 4.8, 5.2, 6.2, 8.3). `view` selects the rules for
// scope and graph, or for code.
ShownRows Display(const AccountedTree& tree, View view,
                  const ViewOptions& options);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_TREE_H_
