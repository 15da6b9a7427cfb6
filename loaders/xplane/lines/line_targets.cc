#include "loaders/xplane/lines/line_targets.h"

#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "loaders/xplane/planes/event_names.h"

namespace tfprof::xplane {
namespace {

using Kind = EventTarget::Kind;

constexpr std::string_view kPython = "python";
// Scopes of operations without a path.
constexpr std::string_view kHostScope = "(host)";
constexpr std::string_view kPythonScope = "(python)";
constexpr std::string_view kKernelScope = "(kernels)";
// Appended to the op of a range that is named like an opcode: the compiler pass
// "fusion" is not a fusion instruction.
constexpr std::string_view kRangeMark = " (range)";
// The same for a call that traced its function, which others of it do not.
constexpr std::string_view kTracingMark = " (tracing)";

profile::Frame ToFrame(profile::StringPool& strings,
                       const PythonFrame& python) {
  profile::Frame frame;
  if (!python.file.empty()) frame.file = strings.Intern(python.file);
  frame.function = strings.Intern(python.function);
  frame.lineno = frame.func_start_line = python.line;
  return frame;
}

}  // namespace

void LineTargets::Note(FileLine& line) {
  switch (line.use) {
    case LineUse::kThread:
    case LineUse::kLaunch:
      return NoteThread(line);
    case LineUse::kStream:
      return NoteStream(line);
    case LineUse::kXlaOps:
    case LineUse::kAsync:
      return NoteXlaOps(line);
    case LineUse::kFacts:
    case LineUse::kSteps:
    case LineUse::kDerived:
      break;
  }
  for (const EventKey& key : line.events.keys) {
    line.targets.push_back(OutsideTarget(line, key));
  }
}

void LineTargets::Resolve(FileLine& line) {
  for (size_t i = 0; i < line.targets.size(); ++i) {
    EventTarget& target = line.targets[i];
    if (target.op != profile::kNone) {
      target.node = ops_[target.op];
      target.op = profile::kNone;
    }
    if (target.node == profile::kNone) continue;
    const size_t key = line.is_host() ? line.thread.groups[i].key : i;
    texts_.Note(target.node, line.MetadataOf(line.events.keys[key]).name);
  }
}

EventTarget LineTargets::OutsideTarget(const FileLine& line,
                                       const EventKey& key) {
  EventTarget target;
  target.kind = Kind::kOutside;
  target.name = builder_.mutable_graph().strings.Intern(
      WithoutArguments(line.MetadataOf(key).name));
  return target;
}

EventTarget LineTargets::HloTarget(const FileLine& line, const EventKey& key) {
  EventTarget target;
  target.kind = Kind::kNode;
  // XLA writes only "XlaModule:" as annotation.
  const bool is_path = key.annotation.find('/') != key.annotation.npos;
  const std::string_view op_name =
      key.op_name.empty() && is_path ? key.annotation : key.op_name;
  // For the kernels of a command buffer, recorders only know the buffer, which
  // is not an instruction.
  if (!hlo_.Has(key.program_id, key.hlo_module, key.hlo_op)) {
    target.node = hlo_.FindKernel(key.program_id, key.hlo_module,
                                  line.MetadataOf(key).name);
  }
  if (target.node == profile::kNone) {
    target.node = hlo_.Find(key.program_id, key.hlo_module, key.hlo_op,
                            WithoutNumber(key.hlo_op), op_name);
  }
  target.output_bytes = hlo_.OutputBytes(target.node);
  // The kernels count the runs.
  target.are_runs = !(line.is_host() && key.is_launch);
  ++num_hlo_groups_;
  return target;
}

void LineTargets::NoteThread(FileLine& line) {
  profile::GraphTables& graph = builder_.mutable_graph();
  std::vector<profile::StackId> stack_of(line.thread.stacks.size(),
                                         profile::kNoStack);
  for (size_t i = 1; i < stack_of.size(); ++i) {
    const ThreadNesting::Stack& stack = line.thread.stacks[i];
    stack_of[i] = graph.stacks.Push(
        stack_of[stack.caller],
        ToFrame(graph.strings,
                ParsePythonFrame(line.plane->events[stack.metadata].name)));
  }
  std::vector<bool> is_step(line.events.keys.size());
  for (const auto& [event, step] : line.events.steps) {
    is_step[line.events.events[event].key] = true;
  }
  for (const ThreadNesting::Group& group : line.thread.groups) {
    const EventKey& key = line.events.keys[group.key];
    EventTarget& target = line.targets.emplace_back();
    if (!key.hlo_op.empty()) {
      target = HloTarget(line, key);
      continue;
    }
    const EventMetadata& metadata = line.MetadataOf(key);
    const profile::StackId stack = stack_of[group.stack];
    target.kind = Kind::kNode;
    switch (KindOfEvent(metadata.name, metadata.display_name)) {
      case EventKind::kHidden:
      case EventKind::kMemory:
        target.kind = Kind::kHidden;
        break;
      case EventKind::kTfOp: {
        const TfOpName op = SplitTfOp(metadata.name);
        target.op = ops_.Note(op.name, op.type, hlo_.ScopeOf(op.name), stack,
                              /*is_frame=*/false);
        break;
      }
      case EventKind::kPython: {
        const PythonFrame frame = ParsePythonFrame(metadata.name);
        const profile::ScopeId scope =
            builder_.AddScope(Scope(kPythonScope), frame.file);
        target.op = ops_.Note(metadata.name.substr(1), kPython, scope, stack,
                              /*is_frame=*/true);
        break;
      }
      case EventKind::kRange: {
        const std::string_view name = WithoutArguments(metadata.name);
        std::string op(name);
        if (hlo_.IsOpcode(name)) op += kRangeMark;
        if (key.is_tracing) op += kTracingMark;
        profile::ScopeId scope = Scope(kHostScope);
        target.is_step = is_step[group.key];
        // A range in a scope of its own is no operation (op_roles.h).
        if (target.is_step) scope = builder_.AddScope(scope, op);
        target.op = ops_.Note(name, op, scope, stack, /*is_frame=*/false);
        break;
      }
    }
  }
}

void LineTargets::NoteStream(FileLine& line) {
  for (const EventKey& key : line.events.keys) {
    EventTarget& target = line.targets.emplace_back();
    const std::string_view name = line.MetadataOf(key).name;
    if (IsCopyName(name) || (key.is_copy && !key.is_kernel)) {
      target = OutsideTarget(line, key);
      target.is_copy = true;
      continue;
    }
    if (!key.hlo_op.empty()) {
      target = HloTarget(line, key);
      target.joins_kernels = true;
      continue;
    }
    target.kind = Kind::kNode;
    const TfOpName op = TfOpOfAnnotation(key.annotation);
    if (op.name.empty()) {
      target.op = ops_.Note(name, name, Scope(kKernelScope), profile::kNoStack,
                            /*is_frame=*/false);
      continue;
    }
    const profile::NodeId on_host = ops_.Find(op.name);
    const profile::GraphTables& graph = builder_.graph();
    if (on_host != profile::kNone &&
        graph.strings.Get(graph.nodes.op[on_host]) == op.type) {
      target.node = on_host;
      target.are_runs = false;  // the host counts them
      continue;
    }
    target.op =
        ops_.Note(op.name, op.type, hlo_.ScopeOf(op.name), profile::kNoStack,
                  /*is_frame=*/false);
    target.joins_kernels = true;
  }
}

void LineTargets::NoteXlaOps(FileLine& line) {
  for (const EventKey& key : line.events.keys) {
    const EventMetadata& metadata = line.MetadataOf(key);
    const HloText text = ParseHloText(metadata.name);
    std::string_view name = text.name;
    if (name.empty()) name = key.hlo_op;
    if (name.empty()) name = metadata.display_name;
    if (name.empty()) name = metadata.name;
    int64_t program_id = key.program_id;
    std::string_view op_name = key.op_name;
    line.plane->VisitStats(
        metadata.stats, [&](std::string_view stat_name, const PlaneStat& stat) {
          if (stat_name == "program_id") program_id = stat.integer();
          if (stat_name == "tf_op") {
            op_name = line.plane->stat_table.TextOf(stat);
          }
        });
    EventTarget& target = line.targets.emplace_back();
    target.kind = Kind::kNode;
    target.node = hlo_.Find(
        program_id, key.hlo_module, name,
        text.opcode.empty() ? WithoutNumber(name) : text.opcode, op_name);
    if (target.node == profile::kNone) {
      target = OutsideTarget(line, key);
      continue;
    }
    ++num_hlo_groups_;
    target.output_bytes = hlo_.OutputBytes(target.node);
    AddMetadata(line, key, target.node);
  }
}

void LineTargets::AddMetadata(const FileLine& line, const EventKey& key,
                              profile::NodeId n) {
  profile::GraphTables& graph = builder_.mutable_graph();
  line.plane->VisitStats(
      line.MetadataOf(key).stats,
      [&](std::string_view name, const PlaneStat& stat) {
        if (name == "flops" && stat.is_integer() && stat.integer() > 0) {
          builder_.SetFloatOps(n, stat.integer());
        } else if (name == "source_stack" &&
                   graph.nodes.stack[n] == profile::kNoStack) {
          graph.nodes.stack[n] =
              StackOfSource(line.plane->stat_table.TextOf(stat));
          graph.has_code_traces |= graph.nodes.stack[n] != profile::kNoStack;
        }
      });
}

// Parses lines "file:line:column", root first.
profile::StackId LineTargets::StackOfSource(std::string_view source_stack) {
  profile::GraphTables& graph = builder_.mutable_graph();
  profile::StackId stack = profile::kNoStack;
  while (!source_stack.empty()) {
    const size_t end = source_stack.find('\n');
    std::string_view text = source_stack.substr(0, end);
    source_stack = end == source_stack.npos ? std::string_view()
                                            : source_stack.substr(end + 1);
    const size_t column = text.rfind(':');
    if (column == text.npos || column == 0) continue;
    const size_t colon = text.rfind(':', column - 1);
    if (colon == text.npos) continue;
    int32_t line = -1;
    std::from_chars(text.data() + colon + 1, text.data() + column, line);
    stack = graph.stacks.Push(
        stack, {.file = graph.strings.Intern(text.substr(0, colon)),
                .function = profile::kNone,
                .line = profile::kNone,
                .lineno = line});
  }
  return stack;
}

}  // namespace tfprof::xplane
