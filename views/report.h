// Report: the result of a view, and the value that every exporter writes.
//
// Rows are in the order of printing. In the tree views (scope, graph, code) row
// 0 is the root and depth is the number of shown rows above a row; in the op
// view rows are a list without a root. A report refers to the Views it came
// from, which must outlive it.

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

namespace tfprof {

// Refers to the statistics of a row, which the view or the report owns.
class StatsRef {
 public:
  StatsRef() = default;
  explicit StatsRef(const Stats* stats) : stats_(stats) {}
  int64_t operator[](int stat) const { return (*stats_)[stat]; }
  operator const Stats&() const { return *stats_; }

 private:
  static constexpr Stats kZero = {};
  const Stats* stats_ = &kZero;
};

struct Report {
  struct Row {
    std::string_view name;
    uint32_t depth = 0;
    uint32_t view_row = 0;  // in the view's own table
    uint32_t closed = 0;    // tree views: place in the walk (tree.h)
    NodeId node = kNone;    // scope and graph: the node, if it is one
    bool accounted = false;
    StatsRef self;
    StatsRef total;
    int64_t definitions = 0;  // scope, graph: rows at and below; op: nodes
    int64_t runs = 0;         // op: runs of distinct nodes
  };

  View view = View::kScope;
  ViewOptions options;
  const Profile* profile = nullptr;
  std::vector<Row> rows;
  Stats root_total = {};
  // The op view of a profile without nodes, which prints its root.
  bool nothing_at_all = false;

  // The source of the rows, for exporters that need more than the shown rows.
  std::shared_ptr<const AccountedTree> tree;               // scope, graph, code
  std::shared_ptr<const std::vector<Snapshot>> snapshots;  // op
  // Totals that only this report has, by row: those of account_displayed_only,
  // and the tail sums of the op view.
  std::vector<Stats> own_totals;
  const CodeTree* code = nullptr;
  const OpRows* ops = nullptr;
  // By type set: how often the account types match (context.h).
  std::vector<uint32_t> accounted_sets;
  // By node id, for the report's step.
  std::shared_ptr<const StatsTable> node_stats;

  // The graph nodes of an op or code row that are accounted, by name.
  std::vector<NodeId> NodesOf(const Row& row) const;
};

}  // namespace tfprof

#endif  // TFPROF_VIEWS_REPORT_H_
