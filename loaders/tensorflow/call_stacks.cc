#include "loaders/tensorflow/call_stacks.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "util/files/wire.h"

namespace tfprof::tensorflow {
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
  util::MapEntry entry;
  if (!util::ReadMapEntry(bytes, entry)) return false;
  id_to_string_.try_emplace(
      entry.int_key, builder_.mutable_graph().strings.Intern(entry.value));
  return true;
}

uint32_t CallStackReader::Number(std::string_view code_def) {
  uint32_t number = code_def_followers_.Guess();
  if (number == profile::kNone || code_defs_[number].text != code_def) {
    number = code_def_numbers_.Number(code_def);
  }
  code_def_followers_.Add(number);
  return number;
}

bool CallStackReader::Read(uint32_t number, profile::StackId& stack) {
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
  util::WireReader r(code_def.substr(begin));
  while (r.Next()) {
    if (r.tag() != util::LengthTag(1)) continue;
    ++num_parsed_traces_;
    const uint32_t number = trace_numbers_.Number(r.view());
    if (number == frames_.size()) frames_.push_back(ParseFrame(r.view()));
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

profile::StringId CallStackReader::FrameString(std::string_view inline_string,
                                               int64_t id) {
  if (!inline_string.empty()) {
    return builder_.mutable_graph().strings.Intern(inline_string);
  }
  const auto it = id_to_string_.find(id);
  return it == id_to_string_.end() ? profile::kNone : it->second;
}

CallStackReader::KnownFrame CallStackReader::ParseFrame(
    std::string_view bytes) {
  profile::Frame frame;
  std::string_view file, function, line;
  int64_t file_id = 0, function_id = 0, line_id = 0;
  frame.lineno = 0;
  frame.func_start_line = 0;
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case util::LengthTag(1):
        file = r.view();
        break;
      case util::VarintTag(2):
        frame.lineno = r.int32();
        break;
      case util::LengthTag(3):
        function = r.view();
        break;
      case util::LengthTag(4):
        line = r.view();
        break;
      case util::VarintTag(5):
        frame.func_start_line = r.int32();
        break;
      case util::VarintTag(6):
        file_id = r.int64();
        break;
      case util::VarintTag(7):
        function_id = r.int64();
        break;
      case util::VarintTag(8):
        line_id = r.int64();
        break;
    }
  }
  frame.file = FrameString(file, file_id);
  frame.function = FrameString(function, function_id);
  frame.line = FrameString(line, line_id);
  return {builder_.mutable_graph().stacks.InternFrame(frame), !r.damaged()};
}

}  // namespace tfprof::tensorflow
