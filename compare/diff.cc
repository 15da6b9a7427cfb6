#include "compare/diff.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <span>
#include <utility>

#include "compare/match.h"
#include "compare/noise.h"
#include "compare/samples.h"
#include "timeline/account/op_roles.h"
#include "views/code.h"
#include "views/name_path.h"
#include "views/regex_list.h"

namespace tfprof::compare {
namespace {

// All accounted rows of a view, in pre-order.
struct Side {
  views::Report report;
  std::vector<uint32_t> parent;       // of a row of `report`; root: kNone
  std::vector<uint32_t> child_begin;  // one entry more than the rows
  std::vector<uint32_t> children;

  std::span<const uint32_t> children_of(uint32_t row) const {
    return {children.data() + child_begin[row],
            children.data() + child_begin[row + 1]};
  }
};

views::ViewOptions Unfiltered(const views::ViewOptions& options) {
  views::ViewOptions all;
  all.step = options.step;
  all.account_types = options.account_types;
  all.max_depth = std::numeric_limits<int32_t>::max();
  all.min.fill(std::numeric_limits<int64_t>::min());
  return all;
}

Side MakeSide(views::View view, views::Views& views,
              const views::ViewOptions& options) {
  Side side;
  side.report = views.Show(view, Unfiltered(options));
  const std::vector<views::Report::Row>& rows = side.report.rows;
  side.parent.assign(rows.size(), profile::kNone);
  side.child_begin.assign(rows.size() + 1, 0);
  if (view == views::View::kOp) return side;
  std::vector<uint32_t> above;  // by depth
  for (uint32_t row = 0; row < rows.size(); ++row) {
    above.resize(rows[row].depth);
    if (!above.empty()) side.parent[row] = above.back();
    above.push_back(row);
    if (side.parent[row] != profile::kNone)
      ++side.child_begin[side.parent[row] + 1];
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    side.child_begin[row + 1] += side.child_begin[row];
  }
  side.children.resize(side.child_begin.back());
  std::vector<uint32_t> next(side.child_begin.begin(),
                             side.child_begin.end() - 1);
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (side.parent[row] != profile::kNone)
      side.children[next[side.parent[row]]++] = row;
  }
  return side;
}

std::vector<std::string_view> Names(const Side& side) {
  std::vector<std::string_view> names;
  names.reserve(side.report.rows.size());
  for (const views::Report::Row& row : side.report.rows)
    names.push_back(row.name);
  return names;
}

// The last part of the paths of `rows`.
std::vector<std::string_view> Leaves(const Side& side,
                                     std::span<const uint32_t> rows) {
  std::vector<std::string_view> leaves;
  leaves.reserve(rows.size());
  for (const uint32_t row : rows) {
    const std::string_view name = side.report.rows[row].name;
    leaves.push_back(views::LastPart(name));
  }
  return leaves;
}

std::vector<CodeLine> Lines(const Side& side, std::span<const uint32_t> rows) {
  const profile::Profile& profile = *side.report.profile;
  std::vector<CodeLine> lines;
  lines.reserve(rows.size());
  for (const uint32_t row : rows) {
    const uint32_t view_row = side.report.rows[row].view_row;
    const profile::Frame& frame =
        views::RowFrame(profile, *side.report.code, view_row);
    const std::string_view file = views::FrameString(profile, frame.file);
    lines.push_back({.name = side.report.rows[row].name,
                     .file = file.substr(file.rfind('/') + 1),
                     .function = views::FrameString(profile, frame.function),
                     .text = frame.line == profile::kNone
                                 ? std::string_view()
                                 : profile.strings().Get(frame.line),
                     .line = frame.lineno,
                     .gradient = side.report.code->gradient[view_row] != 0});
  }
  return lines;
}

// Matches trees whose rows are identified by their position: from the root
// down, the children of matching rows are matched with each other.
Matching MatchTree(views::View view, const Side& before, const Side& after) {
  Matching matching;
  matching.before_of.assign(after.report.rows.size(), profile::kNone);
  matching.after_of.assign(before.report.rows.size(), profile::kNone);
  std::deque<std::pair<uint32_t, uint32_t>> todo;
  const auto pair = [&](uint32_t old_row, uint32_t new_row) {
    matching.before_of[new_row] = old_row;
    matching.after_of[old_row] = new_row;
    todo.emplace_back(old_row, new_row);
  };
  pair(views::kRootRow, views::kRootRow);
  while (!todo.empty()) {
    const auto [old_parent, new_parent] = todo.front();
    todo.pop_front();
    const auto old_rows = before.children_of(old_parent);
    const auto new_rows = after.children_of(new_parent);
    if (old_rows.empty() || new_rows.empty()) continue;
    const Matching of_children =
        view == views::View::kCode
            ? MatchCode(Lines(before, old_rows), Lines(after, new_rows))
            : MatchNames(Leaves(before, old_rows), Leaves(after, new_rows));
    for (size_t i = 0; i < new_rows.size(); ++i) {
      const uint32_t old_child = of_children.before_of[i];
      if (old_child != profile::kNone) pair(old_rows[old_child], new_rows[i]);
    }
  }
  return matching;
}

Matching MatchSides(views::View view, const Side& before, const Side& after) {
  // A node of the graph view is below its first consumer, so its name
  // identifies it, not its position.
  return view == views::View::kOp || view == views::View::kGraph
             ? MatchNames(Names(before), Names(after))
             : MatchTree(view, before, after);
}

// Fills one side of a DiffRow from a row of a report. Times become ticks,
// `ticks_per_micro` to a microsecond. `own`: without the rows below it.
void Fill(const views::Report& report, bool own, int64_t ticks_per_micro,
          uint32_t index, std::string_view& name, uint32_t& row,
          accounting::Stats& stats, int64_t& nodes) {
  const views::Report::Row& r = report.rows[index];
  name = r.name;
  row = r.view_row;
  stats = own ? r.self : r.total;
  nodes = report.view == views::View::kCode
              ? report.tree->node_count[r.view_row]
              : r.definitions;
  if (report.view == views::View::kOp) stats[accounting::kRunCount] = r.runs;
  const int64_t factor = ticks_per_micro / report.profile->ticks_per_micro();
  if (factor == 1) return;
  for (const accounting::Statistic& s : accounting::kStatistics) {
    if (s.unit != util::Unit::kMicros) continue;
    stats[s.stat] = util::SaturatingMul(stats[s.stat], factor);
  }
}

// The rows of both sides: the rows of `after`, then the rows that are gone.
struct Union {
  int64_t ticks_per_micro = 1;
  std::vector<DiffRow> rows;
  std::vector<uint32_t> parent;
};

Union Unite(const Side& before, const Side& after, const Matching& matching,
            bool own) {
  Union all;
  all.ticks_per_micro = std::max(before.report.profile->ticks_per_micro(),
                                 after.report.profile->ticks_per_micro());
  const auto new_size = static_cast<uint32_t>(after.report.rows.size());
  const auto old_size = static_cast<uint32_t>(before.report.rows.size());
  std::vector<uint32_t> place(old_size);  // of a row of `before`
  uint32_t size = new_size;
  for (uint32_t row = 0; row < old_size; ++row) {
    place[row] = matching.after_of[row] != profile::kNone
                     ? matching.after_of[row]
                     : size++;
  }
  all.rows.resize(size);
  all.parent = after.parent;
  all.parent.resize(size, profile::kNone);
  for (uint32_t row = 0; row < new_size; ++row) {
    DiffRow& r = all.rows[row];
    Fill(after.report, own, all.ticks_per_micro, row, r.after_name, r.after_row,
         r.after, r.after_nodes);
  }
  for (uint32_t row = 0; row < old_size; ++row) {
    DiffRow& r = all.rows[place[row]];
    Fill(before.report, own, all.ticks_per_micro, row, r.before_name,
         r.before_row, r.before, r.before_nodes);
    if (place[row] >= new_size && before.parent[row] != profile::kNone) {
      all.parent[place[row]] = place[before.parent[row]];
    }
  }
  return all;
}

// Which rows are below `place`. Rows that are gone come last, so a row may come
// before its parent.
std::vector<uint8_t> BelowPlace(const Union& all, uint32_t place) {
  enum : uint8_t { kOutside, kBelow, kUnknown };
  std::vector<uint8_t> below(all.rows.size(), kUnknown);
  below[place] = kBelow;
  std::vector<uint32_t> path;
  for (uint32_t row = 0; row < below.size(); ++row) {
    uint32_t at = row;
    for (path.clear(); at != profile::kNone && below[at] == kUnknown;
         at = all.parent[at]) {
      // A root may be its own parent.
      below[at] = kOutside;
      path.push_back(at);
    }
    const uint8_t known = at == profile::kNone ? uint8_t{kOutside} : below[at];
    for (const uint32_t on_path : path) below[on_path] = known;
  }
  return below;
}

// For each row of the view's table: whether the row passes the options.
std::vector<uint8_t> Shown(views::View view, views::Views& views,
                           views::ViewOptions options) {
  options.account_displayed_only = false;
  const auto min =
      views::SmallestStats(options, views.profile().ticks_per_micro());
  if (view == views::View::kOp) {
    // The limits apply later, to rows in the order of the diff and to own
    // values.
    options.max_depth = std::numeric_limits<int32_t>::max();
    options.min.fill(std::numeric_limits<int64_t>::min());
  }
  const views::Report report = views.Show(view, options);
  std::vector<uint8_t> shown;
  for (const views::Report::Row& row : report.rows) {
    bool reaches = true;
    for (int s = 0; view == views::View::kOp && s < accounting::kNumStats;
         ++s) {
      reaches &= (s == accounting::kRunCount ? row.definitions : row.self[s]) >=
                 min[s];
    }
    if (!reaches) continue;
    if (row.view_row >= shown.size()) shown.resize(row.view_row + 1, 0);
    shown[row.view_row] = 1;
  }
  return shown;
}

bool IsIn(const std::vector<uint8_t>& shown, uint32_t row) {
  return row != profile::kNone && row < shown.size() && shown[row] != 0;
}

bool Changed(const DiffRow& row, const std::vector<ComparedValue>& values) {
  return row.status() != DiffRow::Status::kBoth ||
         std::any_of(values.begin(), values.end(), [&](const ComparedValue& v) {
           return v.Before(row) != v.After(row);
         });
}

uint64_t Magnitude(int64_t delta) {
  return delta < 0 ? 0 - static_cast<uint64_t>(delta)
                   : static_cast<uint64_t>(delta);
}

class Order {
 public:
  // `values` must outlive the Order.
  Order(const views::ViewOptions& options, DiffOrder order,
        const std::vector<ComparedValue>& values)
      : order_(order), values_(values) {
    if (options.order != views::ViewOptions::Order::kStat) return;
    // As in the op view.
    by_ = ComparedValue{
        .stat = options.order_stat,
        .definitions = options.order_stat == accounting::kRunCount};
  }

  // Larger values come first.
  bool Less(const DiffRow& a, const DiffRow& b) const {
    if (order_ == DiffOrder::kChange) {
      for (const ComparedValue& value : values_) {
        const uint64_t of_a = Change(value, a), of_b = Change(value, b);
        if (of_a != of_b) return of_a > of_b;
      }
    } else if (by_) {
      const auto key = [&](const DiffRow& row) {
        return std::pair(by_->After(row), by_->Before(row));
      };
      const auto key_a = key(a), key_b = key(b);
      if (key_a != key_b) return key_a > key_b;
    }
    return a.name() < b.name();
  }

 private:
  static uint64_t Change(const ComparedValue& value, const DiffRow& row) {
    return Magnitude(util::WrapSub(value.After(row), value.Before(row)));
  }

  const DiffOrder order_;
  const std::vector<ComparedValue>& values_;
  std::optional<ComparedValue> by_;
};

// The rows to show, in the order of printing.
class Arranger {
 public:
  Arranger(const Union& all, std::vector<uint8_t> kept, const Order& order)
      : all_(all), kept_(std::move(kept)), order_(order) {}

  std::vector<DiffRow> Arrange() {
    LinkUnderShown();
    std::vector<DiffRow> rows;
    std::vector<std::pair<uint32_t, uint32_t>> todo;
    const auto push = [&](std::vector<uint32_t>& siblings, uint32_t depth) {
      std::stable_sort(siblings.begin(), siblings.end(),
                       [&](uint32_t a, uint32_t b) {
                         return order_.Less(all_.rows[a], all_.rows[b]);
                       });
      for (size_t i = siblings.size(); i-- > 0;) {
        todo.emplace_back(siblings[i], depth);
      }
    };
    push(top_, 0);
    while (!todo.empty()) {
      const auto [row, depth] = todo.back();
      todo.pop_back();
      rows.push_back(all_.rows[row]);
      rows.back().depth = depth;
      push(below_[row], depth + 1);
    }
    return rows;
  }

 private:
  // Places each row under its nearest ancestor that is kept.
  void LinkUnderShown() {
    below_.resize(all_.rows.size());
    std::vector<uint32_t> anchor(all_.rows.size(), profile::kNone);
    std::vector<uint8_t> known(all_.rows.size(), 0);
    std::vector<uint32_t> path;
    for (uint32_t row = 0; row < all_.rows.size(); ++row) {
      uint32_t at = row;
      for (; at != profile::kNone && !known[at]; at = all_.parent[at]) {
        path.push_back(at);
      }
      while (!path.empty()) {
        const uint32_t here = path.back();
        path.pop_back();
        const uint32_t parent = all_.parent[here];
        anchor[here] =
            parent == profile::kNone || kept_[parent] ? parent : anchor[parent];
        known[here] = 1;
      }
      if (!kept_[row]) continue;
      (anchor[row] == profile::kNone ? top_ : below_[anchor[row]])
          .push_back(row);
    }
  }

  const Union& all_;
  const std::vector<uint8_t> kept_;
  const Order& order_;
  std::vector<uint32_t> top_;
  std::vector<std::vector<uint32_t>> below_;
};

// See Diff::noise.
std::vector<std::optional<double>> NoiseOf(const Diff& diff,
                                           views::Views& before,
                                           views::Views& after,
                                           const views::ViewOptions& options) {
  std::vector<std::optional<double>> noise;
  const bool average =
      options.step < 0 && options.step != accounting::kAllSteps;
  if (!average || diff.values.empty() || diff.values[0].definitions ||
      options.account_types != views::ViewOptions().account_types) {
    return noise;
  }
  const accounting::Stat stat = diff.values[0].stat;
  std::vector<SampleQuery> old_rows, new_rows;
  for (const DiffRow& row : diff.rows) {
    old_rows.push_back({row.before_row, stat});
    new_rows.push_back({row.after_row, stat});
  }
  const auto old_samples =
      SampleView(diff.view, before, old_rows, options.fold_libraries);
  const auto new_samples =
      SampleView(diff.view, after, new_rows, options.fold_libraries);
  NoiseModel model(std::max<size_t>(1, diff.rows.size()));
  for (size_t i = 0; i < diff.rows.size(); ++i) {
    noise.push_back(model.OfMeans(old_samples[i], new_samples[i]));
    if (noise.back() && StatisticOf(stat).unit == util::Unit::kMicros) {
      const DiffRow& row = diff.rows[i];
      const auto runs = static_cast<double>(std::max(
          row.before[accounting::kRunCount], row.after[accounting::kRunCount]));
      noise.back() = std::max(*noise.back(), ClockNoise(runs));
    }
  }
  return noise;
}

// Adds the times on accelerators and on CPUs behind their sum, if there are
// both. The sum still decides the order.
void SplitTimes(Diff& diff) {
  const auto has = [&](accounting::Stat stat) {
    return diff.total.before[stat] != 0 || diff.total.after[stat] != 0;
  };
  const auto selected = [&](accounting::Stat stat) {
    return std::ranges::find_if(diff.values, [&](const ComparedValue& value) {
      return value.stat == stat && !value.definitions;
    });
  };
  constexpr accounting::Stat kParts[] = {accounting::kAcceleratorMicros,
                                         accounting::kCpuMicros};
  for (const accounting::Stat part : kParts) {
    if (!has(part) || selected(part) != diff.values.end()) return;
  }
  const auto sum = selected(accounting::kMicros);
  if (sum == diff.values.end()) return;
  sum->is_split = true;
  diff.values.insert(sum + 1, {{.stat = kParts[0]}, {.stat = kParts[1]}});
}

}  // namespace

std::vector<ComparedValue> ComparedValues(views::FieldSet select) {
  std::vector<ComparedValue> values;
  for (const accounting::Statistic& s : accounting::kStatistics) {
    if (!select.Has(s.stat)) continue;
    values.push_back({.stat = s.stat});
    if (s.stat == accounting::kRunCount) {
      values.push_back({.stat = s.stat, .definitions = true});
    }
  }
  return values;
}

Diff DiffViews(views::View view, views::Views& before, views::Views& after,
               const views::ViewOptions& options, DiffOrder order) {
  Diff diff;
  diff.view = view;
  diff.values = ComparedValues(options.select);
  const Side old_side = MakeSide(view, before, options);
  const Side new_side = MakeSide(view, after, options);
  const Union all =
      Unite(old_side, new_side, MatchSides(view, old_side, new_side),
            /*own=*/view == views::View::kOp);
  diff.ticks_per_micro = all.ticks_per_micro;
  const std::vector<uint8_t> old_shown = Shown(view, before, options);
  const std::vector<uint8_t> new_shown = Shown(view, after, options);

  const auto size = static_cast<uint32_t>(all.rows.size());
  std::vector<uint8_t> shown(size, 0), kept(size, 0);
  for (uint32_t row = 0; row < size; ++row) {
    shown[row] = IsIn(old_shown, all.rows[row].before_row) ||
                 IsIn(new_shown, all.rows[row].after_row);
  }
  for (uint32_t row = 0; row < size; ++row) {
    if (!shown[row] || !Changed(all.rows[row], diff.values)) continue;
    // Keeps the rows above it, too. Above a kept row, all rows are kept
    // already.
    for (uint32_t at = row; at != profile::kNone && kept[at] != 2;
         at = all.parent[at]) {
      kept[at] = 2;
    }
  }
  for (uint32_t row = 0; row < size; ++row) {
    kept[row] = shown[row] && kept[row] == 2;
    diff.unchanged += shown[row] && !kept[row] ? 1 : 0;
  }
  const Order siblings(options, order, diff.values);
  diff.rows = Arranger(all, std::move(kept), siblings).Arrange();
  if (view == views::View::kOp) {
    const timeline::OpRoles old_roles(before.profile());
    const timeline::OpRoles new_roles(after.profile());
    for (DiffRow& row : diff.rows) {
      row.role = row.status() == DiffRow::Status::kGone
                     ? old_roles.Of(row.name())
                     : new_roles.Of(row.name());
    }
    const size_t limit =
        static_cast<size_t>(std::max<int64_t>(options.max_depth, -1) + 1);
    if (diff.rows.size() > limit) diff.rows.resize(limit);
    // Both sides have a total.
    diff.total.before_row = diff.total.after_row = 0;
    for (const DiffRow& row : all.rows) {
      accounting::AddStats(diff.total.before, row.before);
      accounting::AddStats(diff.total.after, row.after);
      diff.total.before_nodes += row.before_nodes;
      diff.total.after_nodes += row.after_nodes;
    }
  } else {
    diff.total = all.rows[views::kRootRow];
  }
  diff.noise = NoiseOf(diff, before, after, options);
  SplitTimes(diff);
  return diff;
}

std::vector<DiffRow> MatchRows(views::View view, views::Views& before,
                               views::Views& after, int64_t step,
                               const views::RegexPatterns& types) {
  views::ViewOptions options;
  options.step = step;
  options.account_types = types;
  const Side old_side = MakeSide(view, before, options);
  const Side new_side = MakeSide(view, after, options);
  return Unite(old_side, new_side, MatchSides(view, old_side, new_side),
               /*own=*/view == views::View::kOp)
      .rows;
}

Diff DiffBelow(views::View tree, uint32_t row, Below below,
               views::Views& before, views::Views& after,
               const views::ViewOptions& options, DiffOrder order) {
  Diff diff;
  diff.view = tree;
  diff.values = ComparedValues(options.select);
  const Side old_side = MakeSide(tree, before, options);
  const Side new_side = MakeSide(tree, after, options);
  const Union all =
      Unite(old_side, new_side, MatchSides(tree, old_side, new_side),
            /*own=*/below == Below::kNodes);
  diff.ticks_per_micro = all.ticks_per_micro;
  const auto place = static_cast<uint32_t>(
      std::find_if(all.rows.begin(), all.rows.end(),
                   [&](const DiffRow& r) { return r.after_row == row; }) -
      all.rows.begin());
  if (place == all.rows.size()) return diff;
  diff.total = all.rows[place];
  const std::vector<uint8_t> below_place = BelowPlace(all, place);
  const views::RegexList show(options.show_names), hide(options.hide_names);
  for (uint32_t at = 0; at < all.rows.size(); ++at) {
    if (at == place || !below_place[at]) continue;
    if (below == Below::kChildren && all.parent[at] != place) continue;
    const std::string_view name = all.rows[at].name();
    if (below == Below::kNodes && (!show.Matches(name) || hide.Matches(name))) {
      continue;
    }
    if (Changed(all.rows[at], diff.values)) {
      diff.rows.push_back(all.rows[at]);
    } else {
      ++diff.unchanged;
    }
  }
  const Order by(options, order, diff.values);
  std::stable_sort(
      diff.rows.begin(), diff.rows.end(),
      [&](const DiffRow& a, const DiffRow& b) { return by.Less(a, b); });
  if (below == Below::kChildren) {
    diff.noise = NoiseOf(diff, before, after, options);
  }
  SplitTimes(diff);
  return diff;
}

}  // namespace tfprof::compare
