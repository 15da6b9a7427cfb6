// The tables of operations, scopes and code (rows.h).

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/node_stats.h"
#include "inspect/rows/row_table.h"
#include "profile/steps/time_column.h"
#include "timeline/account/op_class.h"
#include "timeline/account/op_roles.h"
#include "timeline/activity.h"

namespace tfprof::inspect {
namespace {

using accounting::Stats;

struct OpRow {
  int64_t step = 0;
  uint32_t op = 0;  // index in the names
  Stats stats = {};
};

struct OpName {
  std::string_view name;
  std::string_view is;  // the class
  profile::StringId id = profile::kNone;
};

// Which operations are collectives because their work on a device is
// communication, whatever they are called: "c10d::allreduce_" runs a kernel of
// NCCL. By string id.
std::vector<bool> Collectives(const profile::Profile& profile,
                              const StepWork& work) {
  std::vector<bool> collective(profile.strings().size(), false);
  for (const StepWork::Collective& of : work.collectives) {
    if (of.run.node != profile::kNone) {
      collective[profile.nodes().op[of.run.node]] = true;
    }
  }
  return collective;
}

// The value of a row, without what only a report needs.
struct TreeRow {
  int64_t step = 0;
  uint32_t depth = 0;
  std::string_view name;
  int64_t runs = 0;
  int64_t self = 0;
  int64_t total = 0;
  int64_t accelerator = 0;
  int64_t bytes = 0;
};

// The rows of a view of one step that ran, without the root. About as many are
// added `times` times.
void AddTreeRows(views::Views& views, views::View view,
                 const views::ViewOptions& options, size_t times,
                 std::vector<TreeRow>& rows) {
  const views::Report report = views.Show(view, options);
  if (rows.empty()) rows.reserve(report.rows.size() * times);
  for (const views::Report::Row& row : report.rows) {
    if (row.depth == 0 || row.total[accounting::kRunCount] == 0) continue;
    rows.push_back({.step = options.step,
                    .depth = row.depth,
                    .name = row.name,
                    .runs = row.self[accounting::kRunCount],
                    .self = row.self[accounting::kMicros],
                    .total = row.total[accounting::kMicros],
                    .accelerator = row.self[accounting::kAcceleratorMicros],
                    .bytes = row.self[accounting::kRequestedBytes]});
  }
}

views::ViewOptions ToDepth(views::ViewOptions options, int32_t depth) {
  // In a view, 1 is the root.
  options.max_depth =
      depth < std::numeric_limits<int32_t>::max() ? depth + 1 : depth;
  options.order = views::ViewOptions::Order::kName;
  return options;
}

tables::DataTable TreeTable(std::string kind, bool by_step,
                            std::vector<TreeRow> rows, int64_t ticks) {
  std::vector<tables::DataColumn> columns;
  if (by_step) columns.push_back(NumberColumn("step"));
  for (tables::DataColumn& column : std::vector<tables::DataColumn>{
           NumberColumn("depth"), WordColumn("name"), CountColumn("runs"),
           NumberColumn("self_nanos"), NumberColumn("total_nanos"),
           NumberColumn("accelerator_nanos"), BytesColumn("bytes")}) {
    columns.push_back(std::move(column));
  }
  return TableOf(std::move(kind), std::move(columns), std::move(rows),
                 [by_step, ticks](const TreeRow& row, RowCells cells) {
                   if (by_step) cells.Number(row.step);
                   cells.Number(row.depth)
                       .Text(row.name)
                       .Number(row.runs)
                       .Number(profile::TicksToNanos(row.self, ticks))
                       .Number(profile::TicksToNanos(row.total, ticks))
                       .Number(profile::TicksToNanos(row.accelerator, ticks))
                       .Number(row.bytes);
                 });
}

}  // namespace

tables::DataTable OpRowsTable(views::Views& views,
                              const views::ViewOptions& options,
                              const StepWork& work) {
  const profile::Profile& profile = views.profile();
  const profile::NodeTable& nodes = profile.nodes();
  const std::vector<uint32_t>& accounted =
      views.context().Accounted(options.account_types);
  const std::vector<int64_t>* flops =
      options.flops == flops::FlopsSource::kOpLog
          ? nullptr
          : &views.context().FloatOps(options.flops).flops;
  const timeline::CommunicationRules& rules =
      *views.Kept<timeline::Activities>().rules();
  const timeline::OpRoles roles(profile);
  const auto class_of = [&](std::string_view name) {
    return timeline::OpClassName(roles.Of(name) == "range"
                                     ? timeline::OpClass::kFrame
                                     : timeline::ClassOfOp(rules, name));
  };
  const std::vector<bool> collective = Collectives(profile, work);
  constexpr uint32_t kNew = profile::kNone;
  std::vector<uint32_t> op_of_string(profile.strings().size(), kNew);
  std::vector<OpName> names;
  std::vector<OpRow> rows;
  std::vector<size_t> row_of_op;  // one more than its place; 0: none yet
  for (const auto& [step, devices] : work.steps) {
    const size_t begin = rows.size();
    row_of_op.assign(names.size(), 0);
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const auto node = static_cast<profile::NodeId>(step->node[g]);
      const uint32_t times = accounted[nodes.types[node]];
      if (times == 0) continue;
      uint32_t& op = op_of_string[nodes.op[node]];
      if (op == kNew) {
        op = static_cast<uint32_t>(names.size());
        const std::string_view name = profile.strings().Get(nodes.op[node]);
        names.push_back({name, class_of(name), nodes.op[node]});
        row_of_op.push_back(0);
      }
      if (row_of_op[op] == 0) {
        rows.push_back({.step = step->id, .op = op});
        row_of_op[op] = rows.size();
      }
      Stats stats = accounting::StatsOfGroup(*step, g);
      const int64_t runs = stats[accounting::kRunCount];
      stats[accounting::kFloatOps] =
          flops == nullptr ? util::WrapMul(nodes.FloatOps(node), runs)
                           : util::SaturatingMul((*flops)[node], runs);
      accounting::AddStats(rows[row_of_op[op] - 1].stats, stats);
    }
    std::sort(rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.end(),
              [&](const OpRow& a, const OpRow& b) {
                return names[a.op].name < names[b.op].name;
              });
  }
  for (OpName& name : names) {
    if (collective[name.id]) {
      name.is = timeline::OpClassName(timeline::OpClass::kCollective);
    }
  }
  const int64_t ticks = profile.ticks_per_micro();
  return TableOf(
      "ops",
      {NumberColumn("step"), WordColumn("name"), WordColumn("class"),
       CountColumn("runs"), NumberColumn("self_nanos"),
       NumberColumn("accelerator_nanos"), BytesColumn("bytes"),
       CountColumn("float_ops")},
      std::move(rows),
      [names = std::move(names), ticks](const OpRow& row, RowCells cells) {
        const auto nanos = [&](int stat) {
          return profile::TicksToNanos(row.stats[stat], ticks);
        };
        cells.Number(row.step)
            .Text(names[row.op].name)
            .Text(names[row.op].is)
            .Number(row.stats[accounting::kRunCount])
            .Number(nanos(accounting::kMicros))
            .Number(nanos(accounting::kAcceleratorMicros))
            .Number(row.stats[accounting::kRequestedBytes])
            .Number(row.stats[accounting::kFloatOps]);
      });
}

tables::DataTable ScopeRowsTable(views::Views& views,
                                 const views::ViewOptions& options,
                                 int32_t depth) {
  views::ViewOptions of_step = ToDepth(options, depth);
  std::vector<TreeRow> rows;
  const auto steps = WantedSteps(views.profile(), options.step);
  for (const profile::Step* step : steps) {
    of_step.step = step->id;
    AddTreeRows(views, views::View::kScope, of_step, steps.size(), rows);
  }
  return TreeTable("scopes", /*by_step=*/true, std::move(rows),
                   views.profile().ticks_per_micro());
}

tables::DataTable CodeRowsTable(views::Views& views,
                                const views::ViewOptions& options,
                                int32_t depth) {
  std::vector<TreeRow> rows;
  AddTreeRows(views, views::View::kCode, ToDepth(options, depth), /*times=*/1,
              rows);
  return TreeTable("code", /*by_step=*/false, std::move(rows),
                   views.profile().ticks_per_micro());
}

}  // namespace tfprof::inspect
