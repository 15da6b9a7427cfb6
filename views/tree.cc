#include "views/tree.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "util/run/threads.h"
#include "views/regex_list.h"

namespace tfprof::views {

const accounting::Stats& AccountedTree::self(uint32_t row) const {
  static constexpr accounting::Stats kZero = {};
  const uint32_t index = self_index[row];
  return index == profile::kNone ? kZero : (*self_table)[index];
}

void LinkChildren(const std::vector<uint32_t>& parent,
                  const std::vector<uint8_t>& kept, AccountedTree& tree) {
  const size_t size = parent.size();
  tree.child_begin.assign(size + 1, 0);
  for (size_t row = 1; row < size; ++row) {
    if (kept[row]) ++tree.child_begin[parent[row] + 1];
  }
  for (size_t row = 0; row < size; ++row) {
    tree.child_begin[row + 1] += tree.child_begin[row];
  }
  tree.children.resize(tree.child_begin[size]);
  std::vector<uint32_t> next(tree.child_begin.begin(),
                             tree.child_begin.end() - 1);
  for (size_t row = 1; row < size; ++row) {
    if (kept[row]) {
      tree.children[next[parent[row]]++] = static_cast<uint32_t>(row);
    }
  }
}

void FindNegative(AccountedTree& tree, const util::TaskOptions& work) {
  std::atomic<bool> negative = false;
  util::ParallelRanges(work, tree.size(), [&](size_t begin, size_t end) {
    int64_t sign = 0;
    for (auto row = static_cast<uint32_t>(begin); row < end; ++row) {
      for (const int64_t v : tree.total[row]) sign |= v;
      for (const int64_t v : tree.self(row)) sign |= v;
    }
    if (sign < 0) negative = true;
  });
  tree.nonnegative = !negative;
}

namespace {

class Displayer {
 public:
  Displayer(const AccountedTree& tree, View view, const ViewOptions& options)
      : tree_(tree),
        view_(view),
        code_(view == View::kCode),
        displayed_only_(options.account_displayed_only && !code_),
        options_(options),
        start_(options.start_names),
        trim_(options.trim_names),
        show_(options.show_names),
        hide_(options.hide_names),
        thresholds_(!tree.nonnegative ||
                    std::any_of(options.min.begin(), options.min.end(),
                                [](int64_t min) { return min > 0; })) {}

  ShownRows Run() {
    std::vector<uint32_t> top;
    if (start_.matches_all()) {
      const auto all = tree_.children_of(kRootRow);
      top.assign(all.begin(), all.end());
    } else {
      top = SearchStart();
    }
    return Flatten(ShowFrom(top));
  }

 private:
  // A shown row, with its shown children in `shown_children_`.
  struct Shown {
    uint32_t row;
    uint32_t child_begin;
    uint32_t child_end;
  };
  struct Frame {
    uint32_t row;
    int32_t depth;
    bool shown;
    uint32_t next;   // index of the next child to visit
    size_t results;  // size of results_ before this row
    bool lifted;     // results_ has rows from below hidden children
  };

  std::string_view name(uint32_t row) const { return (*tree_.names)[row]; }

  // Returns the topmost rows that match, in pre-order.
  std::vector<uint32_t> SearchStart() const {
    std::vector<uint32_t> found;
    if (start_.empty()) return found;
    std::vector<uint32_t> todo;
    const auto push_children = [&](uint32_t row) {
      const auto children = tree_.children_of(row);
      todo.insert(todo.end(), children.rbegin(), children.rend());
    };
    push_children(kRootRow);
    while (!todo.empty()) {
      const uint32_t row = todo.back();
      todo.pop_back();
      if (start_.Matches(name(row))) {
        found.push_back(row);
      } else {
        push_children(row);
      }
    }
    return found;
  }

  bool ShouldShow(uint32_t row, int32_t depth) const {
    if (name(row) == kRootName) return true;
    if (depth > options_.max_depth) return false;
    if (thresholds_ && !ReachesThresholds(row)) return false;
    if (!show_.Matches(name(row))) return false;
    return hide_.empty() || !hide_.Matches(name(row));
  }

  bool ReachesThresholds(uint32_t row) const {
    const accounting::Stats& total = tree_.total[row];
    const accounting::Stats& self = code_ ? total : tree_.self(row);
    for (int s = 0; s < accounting::kNumStats; ++s) {
      const bool own = s == accounting::kParameters ||
                       s == accounting::kFloatOps || s == accounting::kRunCount;
      if (code_ && s == accounting::kRunCount) continue;
      if ((own ? self : total)[s] < options_.min[s]) return false;
    }
    return true;
  }

  // A depth-first search without recursion, because graphs may be a million
  // nodes deep. If a visited row is shown, it is appended to results_;
  // otherwise, the shown rows below it are appended.
  uint32_t ShowFrom(const std::vector<uint32_t>& top) {
    std::vector<Frame> stack;
    const auto enter = [&](uint32_t row, int32_t depth) {
      const bool trimmed = !trim_.empty() && trim_.Matches(name(row));
      const bool too_deep = depth > options_.max_depth;
      if (code_ && (trimmed || too_deep) && row != kRootRow) return;
      const bool shown = ShouldShow(row, depth);
      // Skip the children of a trimmed or too deep row: `next` starts after
      // them.
      const bool visit = !trimmed && !too_deep;
      stack.push_back({row, depth, shown, visit ? 0 : profile::kNone,
                       results_.size(), false});
    };
    enter(kRootRow, 1);
    // Start rows may be anywhere in the tree, so their names are not in order.
    stack.back().lifted = !start_.matches_all();
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const auto children = frame.row == kRootRow
                                ? std::span<const uint32_t>(top)
                                : tree_.children_of(frame.row);
      if (frame.next < children.size()) {
        const uint32_t child = children[frame.next++];
        enter(child, frame.depth + 1);
        continue;
      }
      if (frame.shown) Close(frame);
      const bool lifts = !frame.shown && results_.size() > frame.results;
      stack.pop_back();
      if (lifts && !stack.empty()) stack.back().lifted = true;
    }
    return results_.front();
  }

  void Close(const Frame& frame) {
    const auto begin = results_.begin() + static_cast<ptrdiff_t>(frame.results);
    // The children of a scope are already sorted by name.
    if (view_ != View::kScope || frame.lifted ||
        options_.order != ViewOptions::Order::kName) {
      Sort(begin, results_.end());
    }
    if (displayed_only_) {
      // The reference adds a row's self values even when it is not accounted.
      accounting::Stats total = tree_.self(frame.row);
      int64_t definitions = 1;
      for (auto it = begin; it != results_.end(); ++it) {
        accounting::AddStats(total, totals_[*it]);
        definitions += definitions_[*it];
      }
      totals_.push_back(total);
      definitions_.push_back(definitions);
    }
    const auto first = static_cast<uint32_t>(shown_children_.size());
    shown_children_.insert(shown_children_.end(), begin, results_.end());
    results_.resize(frame.results);
    results_.push_back(static_cast<uint32_t>(shown_.size()));
    shown_.push_back(
        {frame.row, first, static_cast<uint32_t>(shown_children_.size())});
  }

  const accounting::Stats& total(uint32_t shown) const {
    return displayed_only_ ? totals_[shown] : tree_.total[shown_[shown].row];
  }

  // A stable sort. Rows are mostly in order already, and checking is cheaper
  // than sorting.
  template <typename Less>
  static void SortUnlessSorted(std::vector<uint32_t>::iterator begin,
                               std::vector<uint32_t>::iterator end, Less less) {
    if (!std::is_sorted(begin, end, less)) std::stable_sort(begin, end, less);
  }

  void Sort(std::vector<uint32_t>::iterator begin,
            std::vector<uint32_t>::iterator end) const {
    if (end - begin < 2) return;
    const auto by_name = [&](uint32_t a, uint32_t b) {
      return name(shown_[a].row) < name(shown_[b].row);
    };
    switch (options_.order) {
      case ViewOptions::Order::kNone:
        return;
      case ViewOptions::Order::kName:
        return SortUnlessSorted(begin, end, by_name);
      case ViewOptions::Order::kStat:
        if (options_.order_stat == accounting::kRunCount) {
          // The reference never implemented this order for scope and graph.
          if (!code_) return SortUnlessSorted(begin, end, by_name);
          return SortUnlessSorted(begin, end, [&](uint32_t a, uint32_t b) {
            return tree_.node_count[shown_[a].row] >
                   tree_.node_count[shown_[b].row];
          });
        }
        return SortUnlessSorted(begin, end, [&](uint32_t a, uint32_t b) {
          return total(a)[options_.order_stat] > total(b)[options_.order_stat];
        });
    }
  }

  ShownRows Flatten(uint32_t root) const {
    ShownRows result;
    result.rows.reserve(shown_.size());
    std::vector<std::pair<uint32_t, uint32_t>> todo = {{root, 0}};
    while (!todo.empty()) {
      const auto [index, depth] = todo.back();
      todo.pop_back();
      const Shown& shown = shown_[index];
      result.rows.push_back({shown.row, depth, index});
      if (displayed_only_) {
        result.totals.push_back(totals_[index]);
        result.definitions.push_back(definitions_[index]);
      }
      for (uint32_t i = shown.child_end; i > shown.child_begin; --i) {
        todo.push_back({shown_children_[i - 1], depth + 1});
      }
    }
    return result;
  }

  const AccountedTree& tree_;
  const View view_;
  const bool code_;
  const bool displayed_only_;
  const ViewOptions& options_;
  const RegexList start_, trim_, show_, hide_;
  const bool thresholds_;          // some row may be below a threshold
  std::vector<uint32_t> results_;  // indexes into shown_
  std::vector<Shown> shown_;
  std::vector<uint32_t> shown_children_;  // indexes into shown_
  // Indexed by shown row, if displayed_only_.
  std::vector<accounting::Stats> totals_;
  std::vector<int64_t> definitions_;
};

}  // namespace

ShownRows Display(const AccountedTree& tree, View view,
                  const ViewOptions& options) {
  return Displayer(tree, view, options).Run();
}

}  // namespace tfprof::views
