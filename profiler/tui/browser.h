// Browser: the state of the full-screen browser, without a terminal.
//
//   Browser browser(workspace, options, &cancellation);
//   browser.Resize(80, 24);
//   while (!browser.done()) {
//     if (browser.HasWork()) browser.DoWork();   // what keys asked for
//     browser.MakeDetails();
//     Show(Draw(browser, look));                 // draw.h
//     browser.Press(NextKey());
//   }
//
// Press() only changes state. What may take long is done by DoWork(), so that
// the screen can say so before it; a request of `cancellation` ends it, and the
// browser shows what it showed before. The browser has its own workspace: the
// session is as it was when the browser ends.
//
// Numbers come from the commands `steps` and the views, from what `show` says
// of a node, and from the differences that the views answer with a base.

#ifndef TFPROF_PROFILER_TUI_BROWSER_H_
#define TFPROF_PROFILER_TUI_BROWSER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/commands/workspace.h"
#include "profiler/options/options.h"
#include "profiler/tui/layout.h"
#include "profiler/tui/step_pane.h"
#include "profiler/tui/tree_pane.h"
#include "profiler/tui/tree_rows.h"
#include "util/run/cancellation.h"

namespace tfprof::tui {

struct Key {
  enum class Code {
    kCharacter,
    kUp,
    kDown,
    kLeft,
    kRight,
    kPageUp,
    kPageDown,
    kHome,
    kEnd,
    kEnter,
    kTab,
    kBackTab,
    kBackspace,
    kEscape,
    kInterrupt,  // Ctrl-C
    kClick,
    kWheelUp,
    kWheelDown,
  };
  Code code = Code::kCharacter;
  std::string text;  // of a character: its UTF-8
  size_t x = 0;      // of the mouse
  size_t y = 0;
};

class Browser {
 public:
  // A line that a person types.
  enum class Prompt { kNone, kSearch, kFilter, kBase };
  // The content of the tree.
  struct Shown {
    views::View view = views::View::kScope;
    int64_t step = accounting::kAverageOfSteps;
    Measure measure;
    bool diff = false;

    friend bool operator==(const Shown&, const Shown&) = default;
  };

  // `options`: the step, the order and the types to begin with. `cancellation`
  // may be nullptr; it must be the one of the workspace's work, and outlive the
  // browser.
  Browser(const commands::Workspace& workspace, const options::Options& options,
          util::Cancellation* cancellation);
  // Rows refer to the workspace.
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void Resize(size_t width, size_t height);
  void Press(const Key& key);
  bool HasWork() const { return job_ != Job::kNone; }
  void DoWork();
  // Makes the lines of the details, if they are about another row than the
  // cursor's.
  void MakeDetails(bool unicode);
  bool done() const { return done_; }

  // ---- What is shown

  size_t width() const { return width_; }
  size_t height() const { return height_; }
  Layout layout() const;
  Pane focus() const { return focus_; }
  const Shown& shown() const { return shown_; }
  const StepPane& steps() const { return steps_; }
  size_t step_cursor() const { return step_cursor_; }
  const TreePane& tree() const { return tree_; }
  bool has_tree() const { return has_tree_; }
  const std::vector<std::string>& details() const { return details_; }
  // The first line of a pane that is shown.
  size_t top(Pane pane) const { return top_[static_cast<size_t>(pane)]; }
  bool help() const { return help_; }
  Prompt prompt() const { return prompt_; }
  const std::string& typed() const { return typed_; }
  const std::string& message() const { return message_; }
  std::string files() const;
  // The name of the base; "": there is none.
  std::string base() const;

 private:
  enum class Job { kNone, kTree, kSearch, kFilter, kBase };

  void PressInPrompt(const Key& key);
  void PressInSteps(const Key& key);
  void PressInTree(const Key& key);
  void PressInDetails(const Key& key);
  void PressMouse(const Key& key);
  // True: the key means the same in each pane.
  bool PressAnywhere(const Key& key);
  // Moves a position in a list of `size` lines; false: the key does not move.
  bool Move(const Key& key, size_t size, size_t& position) const;
  void Enter();
  void Ask(Prompt prompt);
  void SearchAgain(bool forward);
  void NextView(int direction);
  void NextMeasure(int direction);
  void ToggleDiff();
  void KeepVisible();

  void ShowTree();
  void LoadBase();
  // True: the work was cancelled, and a message says so.
  bool TakeCancellation();
  tables::DataDocument DetailsDocument() const;

  commands::Workspace workspace_;  // without a base
  std::shared_ptr<const commands::Base> base_;
  views::ViewOptions options_;
  util::Cancellation* cancellation_;

  size_t width_ = 80;
  size_t height_ = 24;
  Pane focus_ = Pane::kTree;
  std::array<size_t, kNumPanes> top_ = {};

  StepPane steps_;
  size_t step_cursor_ = 0;
  TreePane tree_;
  bool has_tree_ = false;
  Shown shown_, wanted_;
  // The view that `v` asked for last, even if there is none.
  views::View last_view_ = views::View::kScope;
  // What rows can be sorted by where nothing is compared.
  std::vector<Measure> measures_;
  std::map<views::View, TreePane::State> left_;  // of views that are not shown

  std::vector<std::string> details_;
  // What `details_` are about: the pane, its width, the row or step.
  struct DetailsKey {
    Pane pane = Pane::kTree;
    size_t width = 0;
    bool unicode = false;
    uint32_t row = 0;
    bool valid = false;

    friend bool operator==(const DetailsKey&, const DetailsKey&) = default;
  };
  DetailsKey details_key_;
  // The pane that the details are about.
  Pane subject_ = Pane::kTree;

  Job job_ = Job::kTree;
  bool forward_ = true;  // of a search
  std::string search_;
  Prompt prompt_ = Prompt::kNone;
  std::string typed_;
  std::string message_;
  bool help_ = false;
  bool done_ = false;
};

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_BROWSER_H_
