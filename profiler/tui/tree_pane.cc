#include "profiler/tui/tree_pane.h"

#include <algorithm>
#include <utility>

namespace tfprof::tui {

void TreePane::Show(std::shared_ptr<const TreeRows> rows,
                    const Measure& measure, const State& state) {
  rows_ = std::move(rows);
  measure_ = measure;
  open_ = state.open;
  filter_ = {};
  found_ = {};
  ordered_.clear();
  Rebuild(state.path);
}

void TreePane::OpenHeaviest() {
  // A graph may be as deep as it has nodes.
  constexpr size_t kMaxDepth = 8;
  constexpr int64_t kShare = 3;
  std::vector<uint32_t> path;
  uint32_t row = kTopRow;
  while (path.size() < kMaxDepth && rows_->HasChildren(row)) {
    const uint32_t first = Ordered(row).empty() ? kTopRow : Ordered(row)[0];
    const int64_t key = first == kTopRow ? 0 : rows_->Key(first, measure_);
    if (key <= 0 || key < rows_->Key(row, measure_) / kShare) break;
    path.push_back(first);
    row = first;
  }
  Reveal(path);
}

void TreePane::Sort(const Measure& measure) {
  measure_ = measure;
  const std::vector<uint32_t> here = path();
  ordered_.clear();
  Rebuild(here);
}

void TreePane::MoveTo(size_t line) {
  cursor_ = std::min(line, lines_.size() - 1);
}

std::vector<uint32_t> TreePane::path() const {
  std::vector<uint32_t> path;
  if (lines_.empty()) return path;
  uint32_t depth = lines_[cursor_].depth + 1;
  for (size_t i = cursor_ + 1; i-- > 0 && depth > 1;) {
    if (lines_[i].depth >= depth) continue;
    depth = lines_[i].depth;
    path.push_back(lines_[i].row);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

void TreePane::Open() {
  const Line& line = current();
  if (line.open || !line.has_children) return;
  open_.insert(line.row);
  Rebuild(path());
}

void TreePane::Close() {
  const Line& line = current();
  if (!line.open || line.row == kTopRow) return;
  open_.erase(line.row);
  Rebuild(path());
}

void TreePane::MoveUp() {
  const uint32_t depth = current().depth;
  while (cursor_ > 0 && lines_[cursor_].depth >= depth) --cursor_;
}

void TreePane::Reveal(std::span<const uint32_t> path) {
  for (size_t i = 0; i + 1 < path.size(); ++i) open_.insert(path[i]);
  Rebuild({path.begin(), path.end()});
}

bool TreePane::Filter(std::string_view text,
                      const util::Cancellation* cancellation) {
  RowMarks filter;
  if (!filter.Find(*rows_, text, {}, cancellation)) return false;
  const std::vector<uint32_t> here = path();
  filter_ = std::move(filter);
  found_ = {};
  ordered_.clear();
  if (filter_.active()) OpenMatches();
  Rebuild(here);
  return true;
}

TreePane::Found TreePane::Search(std::string_view text, bool forward,
                                 const util::Cancellation* cancellation) {
  if (text != found_.text() &&
      !found_.Find(*rows_, text, filter_, cancellation)) {
    return Found::kCancelled;
  }
  if (found_.count() == 0) return Found::kNo;
  std::vector<uint32_t> to = path();
  if (forward) {
    StepForward(to);
  } else {
    StepBackward(to);
  }
  Reveal(to);
  return Found::kYes;
}

const std::vector<uint32_t>& TreePane::Ordered(uint32_t row) {
  const auto [at, is_new] = ordered_.try_emplace(row);
  std::vector<uint32_t>& children = at->second;
  if (!is_new) return children;
  children = rows_->Children(row);
  std::erase_if(children, [&](uint32_t r) { return !filter_.Shows(r); });
  if (measure_.by_name) {
    std::stable_sort(children.begin(), children.end(),
                     [&](uint32_t a, uint32_t b) {
                       return rows_->Label(a) < rows_->Label(b);
                     });
  } else {
    std::stable_sort(children.begin(), children.end(),
                     [&](uint32_t a, uint32_t b) {
                       return rows_->Key(a, measure_) > rows_->Key(b, measure_);
                     });
  }
  return children;
}

// Makes the lines again. The cursor goes to the last row of `path` that is
// shown.
void TreePane::Rebuild(const std::vector<uint32_t>& path) {
  lines_.clear();
  cursor_ = 0;
  std::vector<std::pair<uint32_t, uint32_t>> todo = {{kTopRow, 0}};
  size_t seen = 0;  // rows of `path`
  while (!todo.empty()) {
    const auto [row, depth] = todo.back();
    todo.pop_back();
    Line line = {.row = row, .depth = depth};
    line.has_children = rows_->HasChildren(row);
    line.open = line.has_children && (row == kTopRow || open_.contains(row));
    if (seen < path.size() && depth == seen + 1 && row == path[seen]) {
      ++seen;
      cursor_ = lines_.size();
    }
    lines_.push_back(line);
    if (!line.open) continue;
    const std::vector<uint32_t>& children = Ordered(row);
    for (size_t i = children.size(); i-- > 0;) {
      todo.emplace_back(children[i], depth + 1);
    }
  }
}

// Opens the rows above those that the filter found, until a screen is full.
void TreePane::OpenMatches() {
  constexpr size_t kEnough = 200;
  std::vector<uint32_t> level = {kTopRow};
  size_t shown = 0;
  while (!level.empty() && shown < kEnough) {
    std::vector<uint32_t> next;
    for (const uint32_t row : level) {
      if (!filter_.MatchesBelow(row) || shown >= kEnough) continue;
      open_.insert(row);
      const std::vector<uint32_t>& children = Ordered(row);
      shown += children.size();
      next.insert(next.end(), children.begin(), children.end());
    }
    level = std::move(next);
  }
}

void TreePane::StepForward(std::vector<uint32_t>& path) {
  const auto marked = [&](uint32_t row) {
    return found_.Matches(row) || found_.MatchesBelow(row);
  };
  uint32_t row = path.empty() ? kTopRow : path.back();
  // Down, to the first one below.
  const auto descend = [&] {
    while (true) {
      const std::vector<uint32_t>& children = Ordered(row);
      row = *std::find_if(children.begin(), children.end(), marked);
      path.push_back(row);
      if (found_.Matches(row)) return;
    }
  };
  if (found_.MatchesBelow(row)) return descend();
  while (!path.empty()) {
    const uint32_t last = path.back();
    path.pop_back();
    const std::vector<uint32_t>& siblings =
        Ordered(path.empty() ? kTopRow : path.back());
    const auto next =
        std::find_if(std::find(siblings.begin(), siblings.end(), last) + 1,
                     siblings.end(), marked);
    if (next == siblings.end()) continue;
    row = *next;
    path.push_back(row);
    if (!found_.Matches(row)) descend();
    return;
  }
  row = kTopRow;
  descend();
}

void TreePane::StepBackward(std::vector<uint32_t>& path) {
  const auto marked = [&](uint32_t row) {
    return found_.Matches(row) || found_.MatchesBelow(row);
  };
  // Down, to the last one below.
  const auto descend = [&](uint32_t row) {
    while (found_.MatchesBelow(row)) {
      const std::vector<uint32_t>& children = Ordered(row);
      row = *std::find_if(children.rbegin(), children.rend(), marked);
      path.push_back(row);
    }
  };
  while (!path.empty()) {
    const uint32_t last = path.back();
    path.pop_back();
    const uint32_t above = path.empty() ? kTopRow : path.back();
    const std::vector<uint32_t>& siblings = Ordered(above);
    const auto from = std::make_reverse_iterator(
        std::find(siblings.begin(), siblings.end(), last));
    const auto before = std::find_if(from, siblings.rend(), marked);
    if (before != siblings.rend()) {
      path.push_back(*before);
      return descend(*before);
    }
    if (found_.Matches(above)) return;
  }
  descend(kTopRow);
}

}  // namespace tfprof::tui
