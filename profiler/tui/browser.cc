#include "profiler/tui/browser.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/tui/picture.h"
#include "tables/screen_writer.h"
#include "util/sink.h"
#include "util/text_layout.h"

namespace tfprof {
namespace {

// Lines that the wheel of a mouse scrolls.
constexpr size_t kWheelLines = 3;
constexpr View kViews[] = {View::kScope, View::kGraph, View::kOp, View::kCode};

size_t IndexOf(View view) {
  return static_cast<size_t>(
      std::find(std::begin(kViews), std::end(kViews), view) -
      std::begin(kViews));
}

// Removes the last UTF-8 character.
void RemoveLast(std::string& text) {
  while (!text.empty() && (text.back() & 0xc0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

// Adds `line`, cut into lines of `width` columns. The text of a fact ("title
// text") continues below itself.
void AddCut(std::string_view line, size_t width,
            std::vector<std::string>& lines) {
  const size_t gap = line.find("  ");
  const size_t text =
      gap == line.npos ? line.npos : line.find_first_not_of(' ', gap);
  const size_t indent = text == line.npos || text > width / 2 ? 0 : text;
  std::string begin;
  do {
    const size_t fits = PrefixInColumns(line, width - begin.size());
    lines.push_back(begin);
    lines.back() += line.substr(0, std::max<size_t>(fits, 1));
    line.remove_prefix(std::min(std::max<size_t>(fits, 1), line.size()));
    begin.assign(indent, ' ');
  } while (!line.empty());
}

void AddLines(std::string_view text, size_t width, bool unicode,
              std::vector<std::string>& lines) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    AddCut(ScreenText(text.substr(0, end), unicode), width, lines);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The first line of a message.
std::string FirstLine(const absl::Status& status) {
  const std::string_view text(status.message().data(), status.message().size());
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

Browser::Browser(const Workspace& workspace, const Options& options,
                 Cancellation* cancellation)
    : workspace_(workspace),
      base_(workspace.base),
      options_(options.view),
      cancellation_(cancellation) {
  workspace_.base = nullptr;
  // Nobody sees a progress bar.
  workspace_.load = [](LoadRequest request) { return Load(request); };
  wanted_.step =
      options_.step < 0 ? CanonicalStep(options_.step) : options_.step;
  if (options.order_given && options_.order == ViewOptions::Order::kStat) {
    wanted_.measure.stat = options_.order_stat;
  }
  const Place& here = workspace_.here;
  wanted_.view = last_view_ = here.tree;
  if (!here.rows.empty()) {
    left_[here.tree] = {.open = {here.rows.begin(), here.rows.end()},
                        .path = here.rows};
  }
}

Layout Browser::layout() const {
  // The mark, a blank, and room for the words.
  constexpr size_t kWordColumns = 10;
  constexpr size_t kBarWindow = 120;
  constexpr size_t kBarColumns = 9;
  size_t columns = std::clamp<size_t>(
      steps_.label_columns() + steps_.wall_columns() + 3, kWordColumns, 24);
  if (width_ >= kBarWindow) columns += kBarColumns;
  return MakeLayout(width_, height_, focus_, columns);
}

std::string Browser::files() const {
  const std::vector<Loaded::Source>& sources =
      workspace_.opened->loaded.sources;
  if (sources.empty()) return "";
  if (sources.size() == 1) return sources[0].path;
  return fmt::format("{} and {} more", sources[0].path, sources.size() - 1);
}

std::string Browser::base() const { return base_ ? base_->name : ""; }

void Browser::Resize(size_t width, size_t height) {
  width_ = width;
  height_ = height;
  KeepVisible();
}

// ---- Keys

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
    case Code::kDoubleClick:
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
  } else if (key.text == "?" || key.text == "h") {
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
      if ((again || key.code == Key::Code::kDoubleClick) &&
          tree_.current().has_children && tree_.current().row != kTopRow) {
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

// Scrolls the lists so that their cursors are on the screen.
void Browser::KeepVisible() {
  const size_t rows = layout().rows;
  if (rows == 0) return;
  const auto keep = [&](Pane pane, size_t line, size_t size) {
    size_t& top = top_[static_cast<size_t>(pane)];
    if (line < top) top = line;
    if (line >= top + rows) top = line - rows + 1;
    top = std::min(top, size > rows ? size - rows : 0);
  };
  keep(Pane::kSteps, step_cursor_, steps_.entries().size());
  if (has_tree_) keep(Pane::kTree, tree_.cursor(), tree_.lines().size());
}

// ---- Work

bool Browser::TakeCancellation() {
  if (!IsCancelled(cancellation_)) return false;
  cancellation_->Reset();
  message_ = "Cancelled.";
  return true;
}

void Browser::DoWork() {
  switch (std::exchange(job_, Job::kNone)) {
    case Job::kNone:
      break;
    case Job::kTree:
      ShowTree();
      break;
    case Job::kSearch:
      if (!has_tree_) break;
      switch (tree_.Search(search_, forward_, cancellation_)) {
        case TreePane::Found::kYes:
          message_ = fmt::format(
              "{} {} \"{}\"", tree_.found().count(),
              tree_.found().count() == 1 ? "row has" : "rows have", search_);
          focus_ = subject_ = Pane::kTree;
          break;
        case TreePane::Found::kNo:
          message_ = fmt::format("No row has \"{}\" in its name.", search_);
          break;
        case TreePane::Found::kCancelled:
          TakeCancellation();
          break;
      }
      break;
    case Job::kFilter:
      if (!has_tree_) break;
      if (!tree_.Filter(typed_, cancellation_)) TakeCancellation();
      if (tree_.filter().active() && tree_.filter().count() == 0) {
        message_ = fmt::format("No row has \"{}\" in its name.", typed_);
        tree_.Filter("", nullptr);
      }
      break;
    case Job::kBase:
      LoadBase();
      break;
  }
  KeepVisible();
}

// Shows what is wanted. If that cannot be, a message says why, and the rest
// stays.
void Browser::ShowTree() {
  if (steps_.entries().empty()) {
    steps_ = StepPane(workspace_);
    step_cursor_ = steps_.Find(wanted_.step);
  }
  // Only the order is another one.
  Shown same = wanted_;
  same.measure = shown_.measure;
  if (has_tree_ && same == shown_ && !wanted_.diff) {
    tree_.Sort(wanted_.measure);
    shown_ = wanted_;
    return;
  }
  ViewOptions options = options_;
  options.step = wanted_.step;
  absl::StatusOr<std::unique_ptr<TreeRows>> rows =
      absl::UnknownError("nothing is shown");
  if (wanted_.diff) {
    Workspace compared = workspace_;
    compared.base = base_;
    rows = MakeDiffRows(wanted_.view, options, wanted_.measure.stat, compared);
  } else {
    rows = MakeRows(wanted_.view, options, workspace_);
  }
  const bool cancelled = TakeCancellation();
  if (cancelled || !rows.ok()) {
    if (!cancelled) message_ = FirstLine(rows.status());
    done_ = cancelled && !has_tree_;
    const Shown failed = std::exchange(wanted_, shown_);
    // The first tree is that of the steps together, which is always there.
    if (!has_tree_ && failed.step >= 0) {
      wanted_ = {.view = failed.view};
      job_ = Job::kTree;
    }
    return;
  }
  if (!wanted_.diff) {
    measures_ = (*rows)->Measures();
    if (std::find(measures_.begin(), measures_.end(), wanted_.measure) ==
        measures_.end()) {
      wanted_.measure = measures_.front();
    }
  }
  if (has_tree_ && !shown_.diff) left_[shown_.view] = tree_.state();
  const auto kept = left_.find(wanted_.view);
  const bool is_new = wanted_.diff || kept == left_.end();
  const std::string filter = has_tree_ ? tree_.filter().text() : "";
  tree_.Show(*std::move(rows), wanted_.measure,
             is_new ? TreePane::State() : kept->second);
  // The first op is on the screen already, and below a row of the graph is what
  // it waits for.
  if (is_new && !wanted_.diff &&
      (wanted_.view == View::kScope || wanted_.view == View::kCode)) {
    tree_.OpenHeaviest();
  } else if (is_new) {
    tree_.MoveTo(1);
  }
  if (!filter.empty()) tree_.Filter(filter, nullptr);
  top_[static_cast<size_t>(Pane::kTree)] = 0;
  has_tree_ = true;
  shown_ = wanted_;
  step_cursor_ = steps_.Find(shown_.step);
  details_key_ = {};
  if (shown_.diff && tree_.lines().size() == 1) {
    message_ = "No differences to the base.";
  }
}

void Browser::LoadBase() {
  std::vector<std::string> notes;
  absl::StatusOr<Base> base = tfprof::LoadBase({typed_}, workspace_, notes);
  if (TakeCancellation()) return;
  if (!base.ok()) {
    message_ = FirstLine(base.status());
    return;
  }
  base_ = std::make_shared<const Base>(*std::move(base));
  wanted_.diff = true;
  ShowTree();
  if (message_.empty() && !notes.empty()) message_ = notes.front();
}

// ---- Details

DataDocument Browser::DetailsDocument() const {
  return subject_ == Pane::kSteps ? steps_.Details(step_cursor_)
                                  : tree_.rows().Details(tree_.path());
}

void Browser::MakeDetails(bool unicode) {
  const size_t width = layout().of(Pane::kDetails).width;
  if (!has_tree_ || width == 0) return;
  const DetailsKey key = {.pane = subject_,
                          .width = width,
                          .unicode = unicode,
                          .row = subject_ == Pane::kSteps
                                     ? static_cast<uint32_t>(step_cursor_)
                                     : tree_.current().row,
                          .valid = true};
  if (key == details_key_) return;
  DetailsKey other = key;
  other.width = details_key_.width;
  if (other != details_key_) top_[static_cast<size_t>(Pane::kDetails)] = 0;
  // Parts of a node are read from its file only now.
  Command show;
  show.info = FindCommand("show");
  const IntactFiles intact(show, workspace_);
  StringSink sink;
  WriteScreen(DetailsDocument(), "", {.width = width, .unicode = unicode},
              sink);
  const absl::Status status = intact();
  // Half of the details would look like all of them.
  if (TakeCancellation()) return;
  details_.clear();
  if (status.ok()) {
    AddLines(sink.text(), width, unicode, details_);
  } else {
    AddLines({status.message().data(), status.message().size()}, width, unicode,
             details_);
  }
  details_key_ = key;
}

}  // namespace tfprof
