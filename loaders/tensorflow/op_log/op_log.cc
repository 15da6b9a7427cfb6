#include "loaders/tensorflow/op_log/op_log.h"

#include <vector>

#include "fmt/format.h"

namespace tfprof {
namespace {

// OpLogProto.
constexpr uint32_t kEntry = LengthTag(1);
constexpr uint32_t kIdToString = LengthTag(2);

// A string of a trace: by id where the log has a table, else inline.
StringId TraceString(std::string_view inline_string, int64_t id,
                     LoadContext& context) {
  if (!inline_string.empty()) {
    return context.builder.mutable_graph().strings.Intern(inline_string);
  }
  const auto it = context.id_to_string.find(id);
  return it == context.id_to_string.end() ? kNone : it->second;
}

bool ReadTrace(std::string_view bytes, LoadContext& context, Frame& frame) {
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
  frame.file = TraceString(file, file_id, context);
  frame.function = TraceString(function, function_id, context);
  frame.line = TraceString(line, line_id, context);
  return !r.damaged();
}

// False: damaged.
bool ReadEntry(std::string_view bytes, LoadContext& context) {
  std::string_view name, code_def;
  int64_t float_ops = 0;
  bool has_code = false;
  std::vector<std::string_view> types;
  WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case LengthTag(1):
        name = r.view();
        break;
      case VarintTag(2):
        float_ops = r.int64();
        break;
      case LengthTag(3):
        types.push_back(r.view());
        break;
      case LengthTag(4):
        code_def = r.view();
        has_code = true;
        break;
    }
  }
  if (r.damaged()) return false;
  const GraphTables& graph = context.builder.graph();
  const NodeId n = graph.nodes.Find(graph.strings.Find(name));
  if (n == kNone) {
    context.log.Count(ImportLog::kNotice, "op log entry of an unknown node", 1);
    return true;
  }
  GraphTables& tables = context.builder.mutable_graph();
  for (const std::string_view type : types) {
    context.builder.AddType(n, tables.strings.Intern(type));
  }
  if (float_ops != 0) context.builder.SetFloatOps(n, float_ops);
  if (!has_code) return true;
  tables.has_code_traces = true;
  if (context.has_stack.size() < graph.nodes.size()) {
    context.has_stack.resize(graph.nodes.size(), false);
  }
  if (context.has_stack[n]) return true;
  context.has_stack[n] = true;
  return ReadCodeDef(code_def, context, tables.nodes.stack[n]);
}

}  // namespace

bool ReadIdToString(std::string_view bytes, LoadContext& context) {
  MapEntry entry;
  if (!ReadMapEntry(bytes, entry)) return false;
  context.id_to_string.try_emplace(
      entry.int_key,
      context.builder.mutable_graph().strings.Intern(entry.value));
  return true;
}

bool ReadCodeDef(std::string_view code_def, LoadContext& context,
                 StackId& stack) {
  stack = kNoStack;
  bool good = true;
  size_t depth = 0;
  std::vector<LoadContext::ReadFrame>& last = context.last_stack;
  WireReader r(code_def);
  while (r.Next()) {
    if (r.tag() != LengthTag(1)) continue;
    // As long as the bytes are those of the stack before, so is the stack: of
    // the 20 frames of a node of a model, 18 are its neighbour's.
    if (depth < last.size() && last[depth].bytes == r.view()) {
      stack = last[depth++].stack;
      continue;
    }
    last.resize(depth);
    CallStacks& stacks = context.builder.mutable_graph().stacks;
    const auto [known, is_new] = context.frame_of_bytes.try_emplace(
        absl::string_view(r.view().data(), r.view().size()), kNone);
    if (is_new) {
      Frame frame;
      good &= ReadTrace(r.view(), context, frame);
      known->second = stacks.InternFrame(frame);
    }
    stack = stacks.Push(stack, known->second);
    last.push_back({r.view(), stack});
    ++depth;
  }
  return good && !r.damaged();
}

absl::Status LoadOpLog(std::shared_ptr<const InputFile> file,
                       LoadContext& context) {
  const std::string_view bytes = file->bytes();
  context.ForgetIds();
  // The table may come behind the entries that need it.
  WireReader table(bytes);
  size_t known = 0;
  while (table.Next()) {
    if (table.tag() == kEntry) ++known;
    if (table.tag() != kIdToString) continue;
    ++known;
    if (!ReadIdToString(table.view(), context)) {
      context.log.Add(
          ImportLog::kDamage, "string of op log dropped",
          fmt::format("{}: byte {}: an entry of id_to_string ends early",
                      file->path(), file->OffsetOf(table.view())));
    }
  }
  if (known == 0 && (table.damaged() || !bytes.empty())) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: {}: not an OpLogProto", file->path(),
        table.damaged() ? table.Describe(0)
                        : fmt::format("no entry in {} bytes", bytes.size())));
  }
  if (table.damaged()) {
    LogDamage(*file, table, bytes, "OpLogProto", /*kept=*/true, context.log);
  }
  WireReader log(bytes);
  while (log.Next()) {
    if (log.tag() != kEntry || ReadEntry(log.view(), context)) continue;
    context.log.Add(
        ImportLog::kDamage, "op log entry damaged",
        fmt::format("{}: byte {}: a log entry of {} bytes ends early",
                    file->path(), file->OffsetOf(log.view()),
                    log.view().size()));
  }
  return absl::OkStatus();
}

}  // namespace tfprof
