// Shows where the time goes: the first three operation types, name scopes, and
// the lines of code that branch into the most time.

#include <algorithm>
#include <string>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/op_roles.h"

namespace tfprof::advisor {
namespace {
namespace expensive_operations {

constexpr int32_t kTop = 3;
// The smallest total of a line of code that is listed.
constexpr int64_t kMinCodeMicros = 1000;

views::ViewOptions ByMicros(int32_t max_depth, int64_t min_micros) {
  views::ViewOptions options;
  options.max_depth = max_depth;
  options.min[accounting::kMicros] = min_micros;
  options.order = views::ViewOptions::Order::kStat;
  options.order_stat = accounting::kMicros;
  return options;
}

std::string Times(const views::Report& report, const accounting::Stats& stats) {
  const auto time = [&](accounting::Stat stat) {
    return tables::FormatTime(stats[stat], report.profile->ticks_per_micro());
  };
  return fmt::format(
      "cpu: {}, accelerator: {}, total: {}", time(accounting::kCpuMicros),
      time(accounting::kAcceleratorMicros), time(accounting::kMicros));
}

// `full` holds lines with more information than the reference's; empty: none.
void Add(std::string_view rule, std::string evidence,
         const std::vector<std::string>& lines, CheckResult& result,
         const std::vector<std::string>& full = {}) {
  result.findings.push_back(
      {.rule = rule,
       .evidence = std::move(evidence),
       .text = fmt::format("{}", fmt::join(lines, "\n")),
       .full_text = fmt::format("{}", fmt::join(full, "\n"))});
}

void CheckOps(views::Views& views, CheckResult& result) {
  // Frames, such as the marker of a step in a trace, and named ranges are not
  // operations.
  const timeline::OpRoles roles(views.profile());
  const auto is_frame = [&roles](const views::Report::Row& row) {
    const std::string_view role = roles.Of(row.name);
    return role == "frame" || role == "range";
  };
  views::Report report = views.Show(views::View::kOp, ByMicros(kTop, 1));
  const auto frames = std::ranges::count_if(report.rows, is_frame);
  if (frames > 0) {
    report = views.Show(views::View::kOp,
                        ByMicros(kTop + static_cast<int32_t>(frames), 1));
  }
  std::vector<std::string> lines;
  for (const views::Report::Row& row : report.rows) {
    if (lines.size() == kTop) break;
    if (is_frame(row)) continue;
    const double share =
        100.0 * static_cast<double>(row.self[accounting::kMicros]) /
        (static_cast<double>(report.root_total[accounting::kMicros]) + 1e-10);
    lines.push_back(fmt::format("top {} operation type: {}, {} ({:.2f}%)",
                                lines.size() + 1, row.name,
                                Times(report, row.self), share));
  }
  if (!lines.empty()) {
    Add("expensive_op", "op -order_by micros", lines, result);
  }
}

void CheckScopes(views::Views& views, CheckResult& result) {
  const views::Report report =
      views.Show(views::View::kScope, ByMicros(100, 100));
  std::vector<std::string> lines, full;
  for (const views::Report::Row& row : report.rows) {
    if (row.depth != 1 || lines.size() == kTop) continue;
    // The reference shows self times: a pure name scope has 0. In a trace, only
    // operations have times, not their scopes.
    const bool trace = report.profile->graph().self_times;
    lines.push_back(fmt::format("top {} graph node: {}, {}", lines.size() + 1,
                                row.name,
                                Times(report, trace ? row.total : row.self)));
    full.push_back(fmt::format("top {} scope: {}, with all inside it {}",
                               lines.size(), row.name,
                               Times(report, row.total)));
  }
  if (!lines.empty()) {
    Add("expensive_scope", "scope -order_by micros", lines, result, full);
  }
}

// Rows of a report as a tree: the children of each row, by index.
std::vector<std::vector<size_t>> ChildrenOf(const views::Report& report) {
  std::vector<std::vector<size_t>> children(report.rows.size());
  std::vector<size_t> open;  // the path to the current row
  for (size_t i = 0; i < report.rows.size(); ++i) {
    open.resize(report.rows[i].depth);
    if (!open.empty()) children[open.back()].push_back(i);
    open.push_back(i);
  }
  return children;
}

// The lines below `row`; four levels at most, so recursion is bounded.
void CodeLines(const views::Report& report,
               const std::vector<std::vector<size_t>>& children, size_t row,
               int depth, std::vector<std::string>& lines) {
  if (children[row].size() <= 1 || depth > 3) return;
  for (size_t i = 0; i < children[row].size() && i < kTop; ++i) {
    const views::Report::Row& child = report.rows[children[row][i]];
    if (report.profile->Micros(child.total[accounting::kMicros]) <
        kMinCodeMicros) {
      continue;
    }
    lines.push_back(fmt::format("{}{}, {}", std::string(2 * depth, ' '),
                                child.name, Times(report, child.total)));
    CodeLines(report, children, children[row][i], depth + 1, lines);
  }
}

void CheckCode(views::Views& views, CheckResult& result) {
  const views::Report report = views.Show(views::View::kCode, ByMicros(100, 1));
  const std::vector<std::vector<size_t>> children = ChildrenOf(report);
  size_t row = 0;
  while (children[row].size() == 1) row = children[row][0];
  if (children[row].empty()) return;
  std::vector<std::string> lines;
  CodeLines(report, children, row, 0, lines);
  Add("expensive_code", "code -order_by micros", lines, result);
}

constexpr Rule kRules[] = {
    {"expensive_op", "The operation types with the most time.", ""},
    {"expensive_scope", "The name scopes with the most time.", ""},
    {"expensive_code", "The lines of code with the most time.", ""},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  views::Views& views = input.views;
  CheckResult result;
  const bool has_steps = !views.profile().steps().empty();
  if (has_steps) {
    CheckOps(views, result);
  } else {
    result.notes = {"Missing RunMetadata info. Skip ExpensiveOperationChecker",
                    "Missing run_meta for ExpensiveOperationChecker"};
  }
  CheckScopes(views, result);
  if (views.profile().graph().has_code_traces) {
    CheckCode(views, result);
  } else {
    result.notes.push_back(
        views.profile().graph().self_times
            ? "Missing call stacks for ExpensiveOperationChecker"
            : "Missing op_log (code traces) for ExpensiveOperationChecker");
  }
  return result;
}

}  // namespace expensive_operations
}  // namespace

const Checker kExpensiveOperationChecker = {"ExpensiveOperationChecker",
                                            "Where the time goes.",
                                            Checker::Kind::kReference,
                                            expensive_operations::kRules,
                                            {},
                                            expensive_operations::Check};

}  // namespace tfprof::advisor
