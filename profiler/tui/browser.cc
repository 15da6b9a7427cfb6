#include "profiler/tui/browser.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/tui/details.h"

namespace tfprof::tui {
namespace {

// The first line of a message.
std::string FirstLine(const absl::Status& status) {
  const std::string_view text(status.message().data(), status.message().size());
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

Browser::Browser(const commands::Workspace& workspace,
                 const options::Options& options,
                 util::Cancellation* cancellation)
    : workspace_(workspace),
      base_(workspace.base),
      options_(options.Rows()),
      cancellation_(cancellation) {
  workspace_.base = nullptr;
  // Nobody sees a progress bar.
  workspace_.load = [](const loaders::LoadRequest& request) {
    return loaders::Load(request);
  };
  wanted_.step = options_.step < 0 ? accounting::CanonicalStep(options_.step)
                                   : options_.step;
  if (options_.order == views::ViewOptions::Order::kStat) {
    wanted_.measure.stat = options_.order_stat;
  }
  const inspect::Place& here = workspace_.here;
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
  const std::vector<loaders::Loaded::Source>& sources =
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
  if (!util::IsCancelled(cancellation_)) return false;
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

// Shows the wanted view, order and step. If that is not possible, a message
// says why, and the screen stays.
void Browser::ShowTree() {
  if (steps_.entries().empty()) {
    steps_ = StepPane(workspace_);
    step_cursor_ = steps_.Find(wanted_.step);
  }
  // Only the order has changed.
  Shown same = wanted_;
  same.measure = shown_.measure;
  if (has_tree_ && same == shown_ && !wanted_.diff) {
    tree_.Sort(wanted_.measure);
    shown_ = wanted_;
    return;
  }
  views::ViewOptions options = options_;
  options.step = wanted_.step;
  absl::StatusOr<std::unique_ptr<TreeRows>> rows =
      absl::UnknownError("nothing is shown");
  if (wanted_.diff) {
    commands::Workspace compared = workspace_;
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
    // The first tree is the one of all steps together, which always exists.
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
  // The first op is on the screen already, and the rows below a row of the
  // graph are the ones that it waits for.
  if (is_new && !wanted_.diff &&
      (wanted_.view == views::View::kScope ||
       wanted_.view == views::View::kCode)) {
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
  absl::StatusOr<commands::Base> base =
      tfprof::commands::LoadBase({typed_}, workspace_, notes);
  if (TakeCancellation()) return;
  if (!base.ok()) {
    message_ = FirstLine(base.status());
    return;
  }
  base_ = std::make_shared<const commands::Base>(*std::move(base));
  wanted_.diff = true;
  ShowTree();
  if (message_.empty() && !notes.empty()) message_ = notes.front();
}

// ---- Details

tables::DataDocument Browser::DetailsDocument() const {
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
  commands::Command show;
  show.info = commands::FindCommand("show");
  const commands::IntactFiles intact(show, workspace_);
  std::vector<std::string> lines =
      DetailLines(DetailsDocument(), width, unicode);
  const absl::Status status = intact();
  // Half of the details would look like all of them.
  if (TakeCancellation()) return;
  if (!status.ok()) {
    const absl::string_view text = status.message();
    lines = CutLines({text.data(), text.size()}, width, unicode);
  }
  details_ = std::move(lines);
  details_key_ = key;
}

}  // namespace tfprof::tui
