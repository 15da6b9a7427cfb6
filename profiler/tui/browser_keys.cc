// The effects of the keys. Browser::DoWork() does the work that takes long.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "profiler/tui/browser.h"

namespace tfprof::tui {
namespace {

// Lines that the wheel of a mouse scrolls.
constexpr size_t kWheelLines = 3;
constexpr views::View kViews[] = {views::View::kScope, views::View::kGraph,
                                  views::View::kOp, views::View::kCode};

size_t IndexOf(views::View view) {
  return static_cast<size_t>(
      std::find(std::begin(kViews), std::end(kViews), view) -
      std::begin(kViews));
}

// Removes the last UTF-8 character.
void RemoveLast(std::string& text) {
  while (!text.empty() && (text.back() & 0xc0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

}  // namespace

void Browser::Press(const Key& key) {
  if (HasWork()) DoWork();
  message_.clear();
  if (prompt_ != Prompt::kNone) {
    PressInPrompt(key);
  } else if (key.code == Key::Code::kInterrupt) {
    done_ = true;
  } else if (help_) {
    help_ = false;
    done_ = key.text == "q";
  } else if (!PressAnywhere(key) && has_tree_) {
    switch (focus_) {
      case Pane::kSteps:
        PressInSteps(key);
        break;
      case Pane::kTree:
        PressInTree(key);
        break;
      case Pane::kDetails:
        PressInDetails(key);
        break;
    }
    KeepVisible();
  }
  if (focus_ != Pane::kDetails) subject_ = focus_;
}

void Browser::PressInPrompt(const Key& key) {
  using Code = Key::Code;
  switch (key.code) {
    case Code::kCharacter:
      if (key.text == "\x15") {  // Ctrl-U
        typed_.clear();
      } else {
        typed_ += key.text;
      }
      return;
    case Code::kBackspace:
      if (typed_.empty()) prompt_ = Prompt::kNone;
      RemoveLast(typed_);
      return;
    case Code::kEscape:
    case Code::kInterrupt:
      prompt_ = Prompt::kNone;
      return;
    case Code::kEnter:
      break;
    default:
      return;
  }
  switch (std::exchange(prompt_, Prompt::kNone)) {
    case Prompt::kSearch:
      if (!typed_.empty()) search_ = typed_;
      SearchAgain(true);
      break;
    case Prompt::kFilter:
      job_ = Job::kFilter;
      break;
    case Prompt::kBase:
      if (!typed_.empty()) job_ = Job::kBase;
      break;
    case Prompt::kNone:
      break;
  }
}

bool Browser::PressAnywhere(const Key& key) {
  using Code = Key::Code;
  const auto focus_on = [&](size_t by) {
    focus_ = static_cast<Pane>((static_cast<size_t>(focus_) + by) % kNumPanes);
    KeepVisible();
  };
  switch (key.code) {
    case Code::kTab:
      focus_on(1);
      return true;
    case Code::kBackTab:
      focus_on(kNumPanes - 1);
      return true;
    case Code::kClick:
    case Code::kWheelUp:
    case Code::kWheelDown:
      if (has_tree_) PressMouse(key);
      return true;
    case Code::kCharacter:
      break;
    default:
      return false;
  }
  if (key.text == "q") {
    done_ = true;
  } else if (key.text == "?") {
    help_ = true;
  } else if (key.text == "/") {
    Ask(Prompt::kSearch);
  } else if (key.text == "f") {
    Ask(Prompt::kFilter);
    typed_ = has_tree_ ? tree_.filter().text() : "";
  } else if (key.text == "n" || key.text == "N") {
    SearchAgain(key.text == "n");
  } else if (key.text == "s" || key.text == "S") {
    NextMeasure(key.text == "s" ? 1 : -1);
  } else if (key.text == "v" || key.text == "V") {
    NextView(key.text == "v" ? 1 : -1);
  } else if (key.text == "d") {
    ToggleDiff();
  } else {
    return false;
  }
  return true;
}

bool Browser::Move(const Key& key, size_t size, size_t& position) const {
  using Code = Key::Code;
  const size_t page = std::max<size_t>(layout().rows, 2) - 1;
  const size_t last = size == 0 ? 0 : size - 1;
  const auto up = [&](size_t by) { position -= std::min(by, position); };
  const auto down = [&](size_t by) {
    position = std::min(position + by, last);
  };
  switch (key.code) {
    case Code::kUp:
      up(1);
      return true;
    case Code::kDown:
      down(1);
      return true;
    case Code::kPageUp:
      up(page);
      return true;
    case Code::kPageDown:
      down(page);
      return true;
    case Code::kHome:
      position = 0;
      return true;
    case Code::kEnd:
      position = last;
      return true;
    case Code::kCharacter:
      break;
    default:
      return false;
  }
  if (key.text == "k") {
    up(1);
  } else if (key.text == "j") {
    down(1);
  } else if (key.text == " ") {
    down(page);
  } else if (key.text == "g") {
    position = 0;
  } else if (key.text == "G") {
    position = last;
  } else {
    return false;
  }
  return true;
}

void Browser::PressInSteps(const Key& key) {
  if (Move(key, steps_.entries().size(), step_cursor_)) return;
  if (key.code == Key::Code::kEnter) {
    Enter();
  } else if (key.code == Key::Code::kRight) {
    Enter();
    focus_ = Pane::kTree;
  }
}

void Browser::PressInTree(const Key& key) {
  size_t line = tree_.cursor();
  if (Move(key, tree_.lines().size(), line)) {
    tree_.MoveTo(line);
    return;
  }
  const TreePane::Line current = tree_.current();
  if (key.code == Key::Code::kEnter) {
    Enter();
  } else if (key.code == Key::Code::kRight) {
    if (!current.has_children) return;
    if (current.open) {
      tree_.MoveTo(tree_.cursor() + 1);
    } else {
      tree_.Open();
    }
  } else if (key.code == Key::Code::kLeft ||
             key.code == Key::Code::kBackspace) {
    if (current.open && current.row != kTopRow) {
      tree_.Close();
    } else {
      tree_.MoveUp();
    }
  }
}

void Browser::PressInDetails(const Key& key) {
  size_t& top = top_[static_cast<size_t>(Pane::kDetails)];
  const size_t rows = layout().rows;
  const size_t positions =
      details_.size() > rows ? details_.size() - rows + 1 : 1;
  if (Move(key, positions, top)) return;
  if (key.code == Key::Code::kLeft || key.code == Key::Code::kEscape) {
    focus_ = subject_;
  }
}

// Enter, or a click on the row of the cursor.
void Browser::Enter() {
  if (focus_ == Pane::kSteps) {
    wanted_.step = steps_.entries()[step_cursor_].step;
    if (wanted_ != shown_) job_ = Job::kTree;
  } else if (focus_ == Pane::kTree) {
    const TreePane::Line& line = tree_.current();
    if (!line.has_children) {
      focus_ = Pane::kDetails;
    } else if (line.open) {
      tree_.Close();
    } else {
      tree_.Open();
    }
  }
}

void Browser::PressMouse(const Key& key) {
  const Layout panes = layout();
  const bool in_rows =
      key.y >= Layout::kFirstRow && key.y < Layout::kFirstRow + panes.rows;
  for (const Pane pane : {Pane::kSteps, Pane::kTree, Pane::kDetails}) {
    const Layout::Columns& columns = panes.of(pane);
    if (!panes.fits || key.x < columns.begin ||
        key.x >= columns.begin + columns.width) {
      continue;
    }
    size_t& top = top_[static_cast<size_t>(pane)];
    const size_t size = pane == Pane::kSteps  ? steps_.entries().size()
                        : pane == Pane::kTree ? tree_.lines().size()
                                              : details_.size();
    const size_t last_top = size > panes.rows ? size - panes.rows : 0;
    if (key.code == Key::Code::kWheelUp || key.code == Key::Code::kWheelDown) {
      top = key.code == Key::Code::kWheelUp
                ? top - std::min(top, kWheelLines)
                : std::min(top + kWheelLines, last_top);
      // The cursor stays on the screen.
      const auto in_window = [&](size_t line) {
        return std::clamp(line, top, top + panes.rows - 1);
      };
      if (pane == Pane::kTree) tree_.MoveTo(in_window(tree_.cursor()));
      if (pane == Pane::kSteps) {
        step_cursor_ = std::min(in_window(step_cursor_), size - 1);
      }
      return;
    }
    focus_ = pane;
    const size_t line = top + key.y - Layout::kFirstRow;
    if (!in_rows || line >= size) return;
    if (pane == Pane::kSteps) {
      step_cursor_ = line;
      Enter();
    } else if (pane == Pane::kTree) {
      const bool again = tree_.cursor() == line;
      tree_.MoveTo(line);
      if (again && tree_.current().has_children &&
          tree_.current().row != kTopRow) {
        Enter();
      }
    }
    KeepVisible();
    return;
  }
}

void Browser::Ask(Prompt prompt) {
  prompt_ = prompt;
  typed_.clear();
}

void Browser::SearchAgain(bool forward) {
  if (search_.empty()) {
    message_ = "Nothing to search for: / asks for a text.";
    return;
  }
  forward_ = forward;
  job_ = Job::kSearch;
}

void Browser::NextView(int direction) {
  const size_t views = std::size(kViews);
  last_view_ =
      kViews[(IndexOf(last_view_) + views + static_cast<size_t>(direction)) %
             views];
  wanted_.view = last_view_;
  if (wanted_ != shown_) job_ = Job::kTree;
}

void Browser::NextMeasure(int direction) {
  std::vector<Measure> measures = measures_;
  if (wanted_.diff) {
    std::erase_if(measures, [](const Measure& m) { return m.self; });
  }
  if (measures.empty()) return;
  const auto at = std::find(measures.begin(), measures.end(), wanted_.measure);
  const size_t size = measures.size();
  const size_t now =
      at == measures.end() ? 0 : static_cast<size_t>(at - measures.begin());
  wanted_.measure =
      measures[(now + size + static_cast<size_t>(direction)) % size];
  if (wanted_ != shown_) job_ = Job::kTree;
}

void Browser::ToggleDiff() {
  if (base_ == nullptr) return Ask(Prompt::kBase);
  wanted_.diff = !wanted_.diff;
  job_ = Job::kTree;
}

}  // namespace tfprof::tui
