// Report: the result of a view, which every exporter takes as input.
//
// Rows are in display order. In the tree views (scope, graph, code) row 0 is
// the root, and depth is the number of shown rows above a row; in the op view
// rows are a list without a root. A report refers to the Views that made it,
// which must outlive it.

#ifndef TFPROF_VIEWS_REPORT_H_
#define TFPROF_VIEWS_REPORT_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "views/code.h"
#include "views/graph.h"
#include "views/op.h"
#include "views/options.h"
#include "views/scope.h"
#include "views/tree.h"

namespace tfprof::views {

// Refers to the statistics of a row, owned by the view or the report.
class StatsRef {
 public:
  StatsRef() = default;
  explicit StatsRef(const accounting::Stats* stats) : stats_(stats) {}
  int64_t operator[](int stat) const { return (*stats_)[stat]; }
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the numbers.
  operator const accounting::Stats&() const { return *stats_; }

 private:
  static constexpr accounting::Stats kZero = {};
  const accounting::Stats* stats_ = &kZero;
};

struct Report {
  struct Row {
    std::string_view name;
    uint32_t depth = 0;
    uint32_t view_row = 0;  // row number in the view
    uint32_t closed = 0;    // tree views: position in post-order (tree.h)
    profile::NodeId node =
        profile::kNone;  // scope and graph: the node of the row, if any
    bool accounted = false;
    StatsRef self;
    StatsRef total;
    int64_t definitions = 0;  // scope, graph: with those below; op: nodes
    int64_t runs = 0;         // op: each node counts once
  };

  View view = View::kScope;
  ViewOptions options;
  const profile::Profile* profile = nullptr;
  std::vector<Row> rows;
  accounting::Stats root_total = {};
  // The op view of a profile without nodes; the reference prints its root.
  bool nothing_at_all = false;

  // The source of the rows, for exporters that need hidden rows too.
  std::shared_ptr<const AccountedTree> tree;               // scope, graph, code
  std::shared_ptr<const std::vector<Snapshot>> snapshots;  // op
  // Totals that only this report has, by row: for account_displayed_only, and
  // for the op view.
  std::vector<accounting::Stats> own_totals;
  const CodeTree* code = nullptr;
  const OpRows* ops = nullptr;
  // By type set, how many account types match (context.h).
  std::vector<uint32_t> accounted_sets;
  // The statistics for the report's step, by node id.
  std::shared_ptr<const accounting::StatsTable> node_stats;

  // Returns the accounted graph nodes of an op or code row, sorted by name.
  std::vector<profile::NodeId> NodesOf(const Row& row) const;
};

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_REPORT_H_
