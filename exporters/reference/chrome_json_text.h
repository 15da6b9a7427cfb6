// Trace events as text, in the layout of Python's json.dumps(…, indent=4).
//
//   ChromeJsonText text(sink);
//   text.Event("X", "Op", "MatMul", pid, lane, micros);
//   text.Member("dur", 5);
//   text.EndEvent();
//   text.End();
//
// Text goes to the sink in pieces. Nothing is checked: the caller must balance
// brackets.

#ifndef TFPROF_EXPORTERS_REFERENCE_CHROME_JSON_TEXT_H_
#define TFPROF_EXPORTERS_REFERENCE_CHROME_JSON_TEXT_H_

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

#include "util/files/sink.h"
#include "util/json/json_string.h"

namespace tfprof::exporters {

class ChromeJsonText {
 public:
  explicit ChromeJsonText(util::Sink& sink) : sink_(sink) {
    Open('{');
    Key("traceEvents");
    Open('[');
  }
  void End() {
    Close(']');
    Close('}');
    sink_.Write(text_);
  }

  void Process(uint32_t pid, std::string_view name) {
    BeginElement();
    Member("name", "process_name");
    Member("ph", "M");
    Member("pid", pid);
    Key("args");
    Open('{');
    Member("name", name);
    Close('}');
    Close('}');
  }

  // Begins an event; the caller adds its members and calls EndEvent().
  void Event(std::string_view phase, std::string_view category,
             std::string_view name, uint32_t pid, uint32_t lane, int64_t time) {
    BeginElement();
    Member("ph", phase);
    Member("cat", category);
    Member("name", name);
    Member("pid", pid);
    Member("tid", lane);
    Member("ts", time);
  }
  void EndEvent() { Close('}'); }

  void Key(std::string_view key) {
    Separate();
    util::AppendJsonString(key, &text_);
    text_ += ": ";
  }
  void Member(std::string_view key, std::string_view value) {
    Key(key);
    util::AppendJsonString(value, &text_);
  }
  template <typename Int>
  requires std::is_integral_v<Int>
  void Member(std::string_view key, Int value) {
    Key(key);
    char digits[24];
    const auto end =
        std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    text_.append(digits, end);
  }
  void Open(char bracket) {
    text_ += bracket;
    ++depth_;
    first_ = true;
  }
  void Close(char bracket) {
    --depth_;
    if (!first_) Break();
    text_ += bracket;
    first_ = false;
  }

 private:
  static constexpr size_t kFlushBytes = 1 << 16;

  void BeginElement() {
    if (text_.size() > kFlushBytes) {
      sink_.Write(text_);
      text_.clear();
    }
    Separate();
    Open('{');
  }
  void Separate() {
    if (!first_) text_ += ',';
    first_ = false;
    Break();
  }
  void Break() {
    text_ += '\n';
    text_.append(4 * static_cast<size_t>(depth_), ' ');
  }

  util::Sink& sink_;
  std::string text_;
  int depth_ = 0;
  bool first_ = true;  // the innermost brackets are empty
};

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_CHROME_JSON_TEXT_H_
