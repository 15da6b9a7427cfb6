// Helpers for tests of the browser: keys as words, and the screen as lines.

#ifndef TFPROF_PROFILER_TUI_TUI_TESTING_H_
#define TFPROF_PROFILER_TUI_TUI_TESTING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile.h"
#include "profile/profile_builder.h"
#include "profiler/commands/workspace.h"
#include "profiler/tui/browser.h"
#include "profiler/tui/draw.h"
#include "profiler/tui/picture.h"
#include "util/text/text_layout.h"

namespace tfprof::tui {

// Nodes with their microseconds in steps 3 and 7:
//
//   a/b/slow  MatMul  60  660      d/e    Conv  25  25
//   a/b/fast  Add      5    5      d/数    Add    1   1
//   a/c       MatMul  10   10      x\ny   Add    0   2
inline profile::Profile TreeModel() {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const profile::LaneId cpu = tensorflow::DeviceLane(
      "/job:localhost/replica:0/task:0/device:cpu:0", builder.mutable_graph());
  std::vector<profile::ExecutionRecord> first, second;
  int64_t start = 1000;
  for (const auto& [name, op, in_first, in_second] :
       {std::tuple("a/b/slow", "MatMul", 60, 660),
        std::tuple("a/b/fast", "Add", 5, 5),
        std::tuple("a/c", "MatMul", 10, 10), std::tuple("d/e", "Conv", 25, 25),
        std::tuple("d/\u6570", "Add", 1, 1), std::tuple("x\ny", "Add", 0, 2)}) {
    profile::ExecutionRecord record;
    record.node = builder.AddNode(name, op, profile::kNoRecord);
    record.lane = cpu;
    record.start = start;
    start += 1000;
    record.duration = in_first;
    if (in_first > 0) first.push_back(record);
    record.duration = in_second;
    record.peak_bytes = in_second;
    second.push_back(record);
  }
  builder.AddExecutions(3, first, {});
  builder.AddExecutions(7, second, {});
  return std::move(builder).Build();
}

inline commands::Workspace TreeWorkspace() {
  loaders::Loaded loaded;
  loaded.profile = TreeModel();
  loaded.sources.push_back({.path = "model.pb"});
  return commands::Workspace(std::move(loaded), {});
}

inline Key CodeKey(Key::Code code) { return {.code = code}; }

inline Key MouseKey(Key::Code code, size_t x, size_t y) {
  return {.code = code, .x = x, .y = y};
}

// Does the work that a screen does between two keys.
inline void Settle(Browser& browser, bool unicode = true) {
  while (browser.HasWork()) browser.DoWork();
  browser.MakeDetails(unicode);
}

inline void Press(Browser& browser, const Key& key) {
  browser.Press(key);
  Settle(browser);
}

inline void Press(Browser& browser, Key::Code code) {
  Press(browser, CodeKey(code));
}

// Each ASCII character as a key.
inline void Type(Browser& browser, std::string_view text) {
  for (const char c : text) Press(browser, Key{.text = std::string(1, c)});
}

// The lines of the screen, with blanks where nothing is.
inline std::vector<std::string> Lines(const Picture& picture) {
  std::vector<std::string> lines;
  for (const auto& spans : picture.lines) {
    std::string line;
    size_t at = 0;
    // Spans are from left to right here, but for titles over a heading.
    for (const Picture::Span& span : spans) {
      if (span.x < at) continue;
      line.append(span.x - at, ' ');
      line += span.text;
      at = span.x + util::Columns(span.text);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

inline std::string ScreenOf(const Browser& browser, bool unicode = true) {
  std::string text;
  for (const std::string& line : Lines(Draw(browser, unicode))) {
    text += line + "\n";
  }
  return text;
}

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_TUI_TESTING_H_
