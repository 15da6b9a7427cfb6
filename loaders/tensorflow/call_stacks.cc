#include "loaders/tensorflow/call_stacks.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "util/files/wire.h"

namespace tfprof {
namespace {

// Returns the length of the common prefix of `a` and `b`, in bytes.
size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t same = 0;
  for (; same + 8 <= size; same += 8) {
    uint64_t of_a, of_b;
    std::memcpy(&of_a, a.data() + same, 8);
    std::memcpy(&of_b, b.data() + same, 8);
    if (of_a != of_b) break;
  }
  while (same < size && a[same] == b[same]) ++same;
  return same;
}

}  // namespace

bool CallStackReader::AddString(std::string_view bytes) {
  MapEntry entry;
  if (!ReadMapEntry(bytes, entry)) return false;
  id_to_string_.try_emplace(
      entry.int_key, builder_.mutable_graph().strings.Intern(entry.value));
  return true;
}

uint32_t CallStackReader::Number(std::string_view code_def) {
  uint32_t number = code_def_followers_.Guess();
  if (number == kNone || code_defs_[number].text != code_def) {
    number = code_def_numbers_.Number(code_def);
  }
  code_def_followers_.Add(number);
  return number;
}

bool CallStackReader::Read(uint32_t number, StackId& stack) {
  if (number >= results_.size()) results_.resize(code_defs_.size());
  Result& result = results_[number];
  if (!result.parsed) result = ParseCodeDef(code_defs_[number].text);
  stack = result.stack;
  return result.good;
}

CallStackReader::Result CallStackReader::ParseCodeDef(
    std::string_view code_def) {
  // The traces in the common prefix are equal, so they are not parsed again.
  const size_t same = CommonPrefix(code_def, parsed_);
  while (!parsed_traces_.empty() && parsed_traces_.back().end > same) {
    parsed_traces_.pop_back();
  }
  parsed_ = code_def;
  size_t begin = 0;
  Result result = {.parsed = true};
  if (!parsed_traces_.empty()) {
    begin = parsed_traces_.back().end;
    result.stack = parsed_traces_.back().stack;
  }
  WireReader r(code_def.substr(begin));
  while (r.Next()) {
    if (r.tag() != LengthTag(1)) continue;
    ++num_parsed_traces_;
    const uint32_t number = trace_numbers_.Number(r.view());
    if (number == frames_.size()) frames_.push_back(ParseTrace(r.view()));
    const KnownFrame frame = frames_[number];
    result.good &= frame.good;
    result.stack = builder_.mutable_graph().stacks.Push(result.stack, frame.id);
    if (result.good) {
      parsed_traces_.push_back({begin + r.good_bytes(), result.stack});
    }
  }
  result.good &= !r.damaged();
  return result;
}

StringId CallStackReader::TraceString(std::string_view inline_string,
                                      int64_t id) {
  if (!inline_string.empty()) {
    return builder_.mutable_graph().strings.Intern(inline_string);
  }
  const auto it = id_to_string_.find(id);
  return it == id_to_string_.end() ? kNone : it->second;
}

CallStackReader::KnownFrame CallStackReader::ParseTrace(
    std::string_view bytes) {
  Frame frame;
  std::string_view file, function, line;
  int64_t file_id = 0, function_id = 0, line_id = 0;
  frame.lineno = 0;
  frame.func_start_line = 0;
  WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case LengthTag(1):
        file = r.view();
        break;
      case VarintTag(2):
        frame.lineno = r.int32();
        break;
      case LengthTag(3):
        function = r.view();
        break;
      case LengthTag(4):
        line = r.view();
        break;
      case VarintTag(5):
        frame.func_start_line = r.int32();
        break;
      case VarintTag(6):
        file_id = r.int64();
        break;
      case VarintTag(7):
        function_id = r.int64();
        break;
      case VarintTag(8):
        line_id = r.int64();
        break;
    }
  }
  frame.file = TraceString(file, file_id);
  frame.function = TraceString(function, function_id);
  frame.line = TraceString(line, line_id);
  return {builder_.mutable_graph().stacks.InternFrame(frame), !r.damaged()};
}

}  // namespace tfprof
