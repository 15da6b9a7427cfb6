#include "loaders/xplane/hlo/hlo_graph.h"

#include <algorithm>
#include <limits>
#include <string>

#include "fmt/format.h"
#include "loaders/xplane/hlo/op_name_path.h"
#include "loaders/xplane/planes/event_names.h"
#include "loaders/xplane/planes/id_table.h"
#include "util/arithmetic.h"

namespace tfprof::xplane {
namespace {

constexpr std::string_view kWrongId = "HLO id that does not exist";
constexpr std::string_view kFrameCycle = "stack frames that call each other";

// Returns element `number` of a list that counts from 1, or nullptr.
template <typename T>
const T* At(const std::vector<T>& list, int64_t number) {
  return number > 0 && static_cast<uint64_t>(number) <= list.size()
             ? &list[static_cast<size_t>(number - 1)]
             : nullptr;
}

int32_t LineNumber(int64_t line) {
  return line > 0 && line <= std::numeric_limits<int32_t>::max()
             ? static_cast<int32_t>(line)
             : -1;
}

}  // namespace

void HloGraph::BeginFile() {
  module_of_program_.clear();
  module_of_name_.clear();
}

profile::ScopeId HloGraph::ScopeOf(std::string_view op_name) {
  const profile::StringId name = op_names_.Intern(op_name);
  if (name < scope_of_name_.size() && scope_of_name_[name] != profile::kNone) {
    return scope_of_name_[name];
  }
  const std::vector<std::string_view> parts = OpNameParts(op_name);
  profile::ScopeId scope = profile::kRootScope;
  if (parts.empty()) {
    scope = builder_.AddScope(profile::kRootScope, kNoScope);
  } else {
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      scope = builder_.AddScope(scope, parts[i]);
    }
  }
  if (name >= scope_of_name_.size())
    scope_of_name_.resize(name + 1, profile::kNone);
  return scope_of_name_[name] = scope;
}

profile::Frame HloGraph::FrameAt(const HloModule& program,
                                 const HloModule::Frame& frame) {
  profile::Frame result;
  const HloModule::Location* location = At(program.locations, frame.location);
  if (location == nullptr) {
    ++wrong_ids_;
    return result;
  }
  profile::StringPool& strings = builder_.mutable_graph().strings;
  if (const std::string_view* file = At(program.files, location->file)) {
    result.file = strings.Intern(*file);
  }
  if (const std::string_view* function =
          At(program.functions, location->function)) {
    result.function = strings.Intern(*function);
  }
  result.lineno = LineNumber(location->line);
  return result;
}

// A frame is pushed after its caller. Walks up to a known frame, to the root
// or, if frames call each other, to a frame that this walk has already visited.
void HloGraph::ResolveFrames(const HloModule& program, std::string_view label) {
  stack_of_frame_.assign(program.frames.size(), profile::kNone);
  std::vector<uint8_t> met(program.frames.size(), 0);
  std::vector<size_t> chain;
  for (size_t first = 0; first < program.frames.size(); ++first) {
    chain.clear();
    profile::StackId stack = profile::kNoStack;
    for (int64_t number = static_cast<int64_t>(first) + 1;;) {
      const HloModule::Frame* frame = At(program.frames, number);
      if (frame == nullptr) {
        wrong_ids_ += number != 0;
        break;
      }
      const auto at = static_cast<size_t>(number - 1);
      if (stack_of_frame_[at] != profile::kNone) {
        stack = stack_of_frame_[at];
        break;
      }
      if (met[at]) {
        log_.Add(loaders::ImportLog::kDamage, kFrameCycle,
                 fmt::format("{}: stack frame {} is its own caller; the stack "
                             "is cut there",
                             label, number));
        break;
      }
      met[at] = 1;
      chain.push_back(at);
      number = frame->parent;
    }
    profile::CallStacks& stacks = builder_.mutable_graph().stacks;
    for (; !chain.empty(); chain.pop_back()) {
      stack =
          stacks.Push(stack, FrameAt(program, program.frames[chain.back()]));
      stack_of_frame_[chain.back()] = stack;
    }
  }
}

profile::StackId HloGraph::StackOf(const HloModule& program,
                                   const HloInstruction& instruction) {
  if (instruction.stack_frame != 0) {
    if (At(program.frames, instruction.stack_frame) != nullptr) {
      return stack_of_frame_[static_cast<size_t>(instruction.stack_frame - 1)];
    }
    ++wrong_ids_;
  }
  if (instruction.source_file.empty()) return profile::kNoStack;
  profile::GraphTables& graph = builder_.mutable_graph();
  return graph.stacks.Push(
      profile::kNoStack, {.file = graph.strings.Intern(instruction.source_file),
                          .lineno = LineNumber(instruction.source_line)});
}

void HloGraph::AddShapes(profile::NodeId n, const HloModule& program,
                         const HloInstruction& instruction) {
  profile::GraphTables& graph = builder_.mutable_graph();
  const std::vector<std::vector<int64_t>> shapes =
      ReadHloShapes(instruction.shape);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const profile::ShapeId shape = graph.shapes.Intern(shapes[i]);
    builder_.AddOutputShape(static_cast<int32_t>(i), shape);
    if (i == 0 && shapes.size() == 1 && instruction.opcode == "parameter" &&
        program.computations[instruction.computation].id == program.entry) {
      graph.nodes.parameter_shape[n] = shape;
    }
  }
}

void HloGraph::AddProgram(const HloModule& program, std::string_view label,
                          int64_t program_id, uint32_t input, uint64_t offset,
                          std::string_view path) {
  ++num_programs_;
  if (program.damaged > 0) {
    log_.Add(loaders::ImportLog::kDamage, "HloProto cut short",
             fmt::format("{}: byte {}: the HloProto of {} has {} damaged "
                         "messages; what they lack is missing in the graph",
                         path, offset, label, program.damaged));
  }
  const profile::ModuleId module = builder_.AddModule(label);
  module_of_program_[program_id] = module;
  profile::StringPool& strings = builder_.mutable_graph().strings;
  const auto [known, is_new] =
      module_of_name_.try_emplace(strings.Intern(program.name), module);
  if (!is_new && known->second != module)
    known->second = profile::kUnnamedModule;

  wrong_ids_ = 0;
  ResolveFrames(program, label);
  const auto first_new =
      static_cast<profile::NodeId>(builder_.graph().nodes.size());
  const size_t size = program.instructions.size();
  std::vector<int64_t> instruction_ids, computation_ids;
  std::vector<profile::StringId> names;
  instruction_ids.reserve(size);
  names.reserve(size);
  for (const HloInstruction& i : program.instructions) {
    instruction_ids.push_back(i.id);
    names.push_back(strings.Intern(i.name));
  }
  for (const HloComputation& c : program.computations) {
    computation_ids.push_back(c.id);
  }
  const IdTable instructions(instruction_ids), computations(computation_ids);

  builder_.ReserveNodes(size, program.ids.size());
  profile::GraphTables& graph = builder_.mutable_graph();
  std::vector<profile::NodeId> node_of(size, profile::kNone);
  int64_t repeated = 0;
  for (size_t at = 0; at < size; ++at) {
    const HloInstruction& i = program.instructions[at];
    // The id of the name and not its bytes, which can change: a program that
    // still runs may write its file again during the load.
    const profile::NodeId n =
        builder_.AddNode(module, names[at], strings.Intern(i.opcode),
                         profile::MakeRecordRef(input, offset + i.offset));
    if (n == profile::kNone) {
      // Another host added it, or the name occurs twice.
      const profile::NodeId existing =
          graph.nodes.FindInModule(module, names[at]);
      const profile::RecordRef record = graph.nodes.record[existing];
      repeated += record >> profile::kOffsetBits == input;
      node_of[at] = existing;
      continue;
    }
    node_of[at] = n;
    opcodes_.insert(graph.nodes.op[n]);
    int32_t position = 0;
    const auto add_edge = [&](uint32_t source) {
      if (source == profile::kNone) {
        ++wrong_ids_;
        return;
      }
      builder_.AddEdge(names[source], position++, 0, 0);
    };
    for (const int64_t id : program.Operands(i)) {
      add_edge(instructions.Find(id));
    }
    for (const int64_t id : program.ControlPredecessors(i)) {
      add_edge(instructions.Find(id));
    }
    for (const int64_t id : program.CalledComputations(i)) {
      const uint32_t called = computations.Find(id);
      add_edge(called == profile::kNone
                   ? profile::kNone
                   : instructions.Find(program.computations[called].root));
    }
    AddShapes(n, program, i);
    builder_.SetScope(n, ScopeOf(i.op_name));
    if (const profile::StackId stack = StackOf(program, i);
        stack != profile::kNoStack) {
      graph.nodes.stack[n] = stack;
      graph.has_code_traces = true;
    }
  }
  if (repeated > 0) {
    log_.Add(loaders::ImportLog::kDamage, "HLO instruction dropped",
             fmt::format("{}: {}: {} instructions have the same names as "
                         "others; the first one of each name is in the graph",
                         path, label, repeated));
  }
  AddGradients(program, node_of);
  AddOutputBytes(program, node_of, first_new);
  if (wrong_ids_ > 0) {
    log_.Add(loaders::ImportLog::kDamage, kWrongId,
             fmt::format("{}: {}: {} ids of instructions, computations and "
                         "stack frames do not exist; they are missing in the "
                         "graph and the stacks",
                         path, label, wrong_ids_));
  }
}

void HloGraph::AddGradients(const HloModule& program,
                            const std::vector<profile::NodeId>& node_of) {
  const profile::NodeTable& nodes = builder_.graph().nodes;
  std::vector<std::pair<profile::NodeId, profile::StringId>> gradients;
  for (size_t at = 0; at < node_of.size(); ++at) {
    const profile::NodeId n = node_of[at];
    if (program.instructions[at].op_name.empty()) continue;
    const std::vector<std::string_view> parts =
        OpNameParts(program.instructions[at].op_name);
    const std::string forward = ForwardOpName(parts);
    if (!forward.empty()) {
      gradients.push_back({n, op_names_.Intern(forward)});
      continue;
    }
    const profile::StringId name = op_names_.Intern(JoinOpName(parts));
    if (name >= first_of_name_.size()) {
      first_of_name_.resize(name + 1, {0, profile::kNone});
    }
    if (first_of_name_[name].first != num_programs_) {
      first_of_name_[name] = {num_programs_, n};
    }
  }
  for (const auto& [n, name] : gradients) {
    if (name >= first_of_name_.size() ||
        first_of_name_[name].first != num_programs_) {
      continue;
    }
    const profile::NodeId of = first_of_name_[name].second;
    // Code views show a gradient below its forward operation.
    if (nodes.stack[of] != profile::kNoStack ||
        nodes.stack[n] == profile::kNoStack) {
      builder_.SetForward(n, of);
    }
  }
}

void HloGraph::AddOutputBytes(const HloModule& program,
                              const std::vector<profile::NodeId>& node_of,
                              profile::NodeId first_new) {
  if (program.buffers.empty()) return;
  output_bytes_.resize(builder_.graph().nodes.size(), 0);
  std::vector<int64_t> ids;
  for (const HloInstruction& i : program.instructions) ids.push_back(i.id);
  const IdTable instructions(ids);
  const profile::GraphTables& graph = builder_.graph();
  const profile::ModuleId module = node_of.empty()
                                       ? profile::kUnnamedModule
                                       : graph.nodes.ModuleOf(node_of[0]);
  for (const HloModule::Buffer& buffer : program.buffers) {
    profile::NodeId n = profile::kNone;
    if (buffer.instruction_name.empty()) {
      const uint32_t at = instructions.Find(buffer.instruction);
      if (at != profile::kNone) n = node_of[at];
    } else {
      n = graph.nodes.Find(module, graph.strings.Find(buffer.instruction_name));
    }
    if (n == profile::kNone || buffer.size < 0) {
      ++wrong_ids_;
      continue;
    }
    if (n < first_new) continue;  // added by another host
    output_bytes_[n] = util::SaturatingAdd(output_bytes_[n], buffer.size);
  }
}

std::optional<profile::ModuleId> HloGraph::KnownModule(
    int64_t program_id, std::string_view module) const {
  const auto program = module_of_program_.find(program_id);
  if (program != module_of_program_.end()) return program->second;
  const auto name = module_of_name_.find(builder_.graph().strings.Find(module));
  if (name != module_of_name_.end() &&
      name->second != profile::kUnnamedModule) {
    return name->second;
  }
  return std::nullopt;
}

profile::ModuleId HloGraph::ModuleOf(int64_t program_id,
                                     std::string_view module) {
  if (const std::optional<profile::ModuleId> known =
          KnownModule(program_id, module)) {
    return *known;
  }
  return builder_.AddModule(fmt::format("{}({})",
                                        module.empty() ? "program" : module,
                                        static_cast<uint64_t>(program_id)));
}

profile::NodeId HloGraph::InProgram(int64_t program_id, std::string_view module,
                                    std::string_view name) const {
  const std::optional<profile::ModuleId> of = KnownModule(program_id, module);
  if (!of) return profile::kNone;
  const profile::GraphTables& graph = builder_.graph();
  const profile::NodeId n = graph.nodes.Find(*of, graph.strings.Find(name));
  return n != profile::kNone && graph.nodes.record[n] != profile::kNoRecord
             ? n
             : profile::kNone;
}

profile::NodeId HloGraph::FindKernel(int64_t program_id,
                                     std::string_view module,
                                     std::string_view kernel) const {
  const profile::NodeId n = InProgram(program_id, module, kernel);
  const std::string_view base = WithoutNumber(kernel);
  if (n != profile::kNone || base.size() == kernel.size()) return n;
  std::string name(kernel);
  name[base.size()] = '.';
  return InProgram(program_id, module, name);
}

profile::NodeId HloGraph::Find(int64_t program_id, std::string_view module,
                               std::string_view name, std::string_view op,
                               std::string_view op_name) {
  if (name.empty()) return profile::kNone;
  const profile::ModuleId of = ModuleOf(program_id, module);
  const profile::GraphTables& graph = builder_.graph();
  const profile::NodeId known = graph.nodes.Find(of, graph.strings.Find(name));
  if (known != profile::kNone) return known;
  const profile::NodeId n = builder_.AddNode(of, name, op, profile::kNoRecord);
  builder_.SetScope(n, ScopeOf(op_name));
  return n;
}

}  // namespace tfprof::xplane
