#include "views/views.h"

#include <algorithm>
#include <utility>

#include "util/run/self_profile.h"
#include "util/run/threads.h"

namespace tfprof::views {

std::vector<profile::NodeId> Report::NodesOf(const Row& row) const {
  std::vector<profile::NodeId> nodes;
  const auto all = view == View::kOp ? ops->nodes_of(row.view_row)
                                     : code->nodes_of(row.view_row);
  for (const profile::NodeId n : all) {
    if (accounted_sets[profile->nodes().types[n]] > 0) nodes.push_back(n);
  }
  return nodes;
}

// Returns true if `options` need other totals than the last ones, and remembers
// them.
bool Views::Accounting::Update(const ViewOptions& options) {
  const int64_t wanted = accounting::CanonicalStep(options.step);
  if (valid && step == wanted && flops == options.flops &&
      types == options.account_types &&
      fold_libraries == options.fold_libraries) {
    return false;
  }
  valid = true;
  step = wanted;
  flops = options.flops;
  types = options.account_types;
  fold_libraries = options.fold_libraries;
  return true;
}

void Views::ForgetPartial() {
  const util::Cancellation* cancellation = work().cancellation;
  if (cancellation == nullptr) return;
  const uint32_t now = cancellation->requests();
  if (std::exchange(cancellations_, now) != now) kept_.clear();
}

const ScopeTree& Views::scope() {
  if (!scope_) scope_ = BuildScopeTree(profile(), work());
  return *scope_;
}

const CodeTree& Views::code(bool fold_libraries) {
  std::optional<CodeTree>& code = fold_libraries ? folded_code_ : code_;
  if (!code) code = BuildCodeTree(context_, fold_libraries);
  return *code;
}

Report Views::Show(View view, const ViewOptions& options) {
  const util::ScopedPhase phase("view");
  Report report;
  report.view = view;
  report.options = options;
  report.profile = &profile();
  switch (view) {
    case View::kScope:
      if (scope_key_.Update(options)) {
        scope_tree_ = AccountScope(scope(), context_, options.step,
                                   options.flops, options.account_types);
      }
      report.tree = scope_tree_;
      break;
    case View::kGraph:
      if (!graph_) graph_ = BuildGraphRows(context_);
      if (graph_key_.Update(options)) {
        graph_tree_ = AccountGraph(*graph_, context_, options.step,
                                   options.flops, options.account_types);
      }
      report.tree = graph_tree_;
      break;
    case View::kCode:
      report.code = &code(options.fold_libraries);
      if (code_key_.Update(options)) {
        code_tree_ = AccountCode(*report.code, context_, options.step,
                                 options.flops, options.account_types);
      }
      report.tree = code_tree_;
      break;
    case View::kOp:
      if (!ops_) ops_ = BuildOpRows(context_);
      report.ops = &*ops_;
      if (op_key_.Update(options)) {
        snapshots_ = AccountOps(*ops_, context_, options.step, options.flops,
                                options.account_types);
      }
      break;
  }
  report.accounted_sets = context_.Accounted(options.account_types);
  report.node_stats = context_.NodeStats(options.step, options.flops);
  ViewOptions in_ticks = options;
  in_ticks.min = SmallestStats(options, profile().ticks_per_micro());
  if (view == View::kOp) {
    ShowOps(in_ticks, report);
  } else {
    ShowTree(in_ticks, report);
  }
  return report;
}

void Views::ShowTree(const ViewOptions& options, Report& report) {
  const AccountedTree& tree = *report.tree;
  ShownRows shown = Display(tree, report.view, options);
  report.own_totals = std::move(shown.totals);
  const bool own = !report.own_totals.empty();
  report.rows.resize(shown.rows.size());
  util::ParallelRanges(
      work(), shown.rows.size(), [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
          const ShownRow& s = shown.rows[i];
          Report::Row& row = report.rows[i];
          row.name = (*tree.names)[s.row];
          row.depth = s.depth;
          row.view_row = s.row;
          row.closed = s.closed;
          if (report.view != View::kCode) row.node = tree.self_index[s.row];
          row.accounted = tree.accounted[s.row];
          row.self = StatsRef(&tree.self(s.row));
          row.total =
              StatsRef(own ? &report.own_totals[i] : &tree.total[s.row]);
          if (!tree.definitions.empty()) {
            row.definitions =
                own ? shown.definitions[i] : tree.definitions[s.row];
          }
        }
      });
  report.root_total = report.rows.front().total;
}

void Views::ShowOps(const ViewOptions& options, Report& report) {
  const ShownOps shown = DisplayOps(*ops_, *snapshots_, options);
  report.snapshots = snapshots_;
  report.own_totals.reserve(shown.rows.size());
  for (const ShownOp& s : shown.rows) {
    const Snapshot& snapshot = (*snapshots_)[s.row];
    report.own_totals.push_back(s.total);
    Report::Row row;
    row.name = ops_->names[s.row];
    row.view_row = s.row;
    row.accounted = snapshot.accounted;
    row.self = StatsRef(&snapshot.sums);
    row.total = StatsRef(&report.own_totals.back());
    row.definitions = snapshot.num_nodes;
    row.runs = snapshot.run_count;
    report.rows.push_back(row);
  }
  report.root_total = shown.root_total;
  report.nothing_at_all = ops_->names.empty();
}

}  // namespace tfprof::views
