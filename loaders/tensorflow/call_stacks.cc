#include "loaders/tensorflow/call_stacks.h"

#include "util/wire.h"

namespace tfprof {

bool CallStackReader::AddString(std::string_view bytes) {
  MapEntry entry;
  if (!ReadMapEntry(bytes, entry)) return false;
  id_to_string_.try_emplace(
      entry.int_key, builder_.mutable_graph().strings.Intern(entry.value));
  return true;
}

bool CallStackReader::ReadCodeDef(std::string_view code_def, StackId& stack) {
  stack = kNoStack;
  bool good = true;
  size_t depth = 0;
  WireReader r(code_def);
  while (r.Next()) {
    if (r.tag() != LengthTag(1)) continue;
    // While the bytes are those of the stack before, the frames are the same:
    // of the 20 frames of a node of a model, 18 are those of its neighbour.
    if (depth < last_stack_.size() && last_stack_[depth].bytes == r.view()) {
      stack = last_stack_[depth++].stack;
      continue;
    }
    last_stack_.resize(depth);
    CallStacks& stacks = builder_.mutable_graph().stacks;
    const auto [known, is_new] = frame_of_bytes_.try_emplace(
        absl::string_view(r.view().data(), r.view().size()), kNone);
    if (is_new) {
      Frame frame;
      good &= ReadTrace(r.view(), frame);
      known->second = stacks.InternFrame(frame);
    }
    stack = stacks.Push(stack, known->second);
    last_stack_.push_back({r.view(), stack});
    ++depth;
  }
  return good && !r.damaged();
}

StringId CallStackReader::TraceString(std::string_view inline_string,
                                      int64_t id) {
  if (!inline_string.empty()) {
    return builder_.mutable_graph().strings.Intern(inline_string);
  }
  const auto it = id_to_string_.find(id);
  return it == id_to_string_.end() ? kNone : it->second;
}

bool CallStackReader::ReadTrace(std::string_view bytes, Frame& frame) {
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
  return !r.damaged();
}

}  // namespace tfprof
