// HloGraph: the instructions of compiled programs as nodes of the profile.
//
// A program is a module, named as the file names it: "jit_step(30)". Its
// instructions are nodes with their opcode as op; the edges of an instruction
// are its operands, then its control predecessors, then the roots of the
// computations that it calls, so that a fusion depends on what was fused. The
// scope of a node is the path in its op_name without the last part; an
// instruction without op_name is in kNoScope. Its call stack comes from the
// stack frames, or, in older files, is one frame of source_file and
// source_line.
//
// Two hosts that run the same program share its nodes. Ids that lead nowhere
// and frames that call each other are counted in the log, and what is left is
// used.

#ifndef TFPROF_LOADERS_XPLANE_HLO_GRAPH_H_
#define TFPROF_LOADERS_XPLANE_HLO_GRAPH_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "loaders/import_log.h"
#include "loaders/xplane/hlo_proto.h"
#include "profile/profile_builder.h"

namespace tfprof {

// The scope of instructions of which nobody knows where they come from: copies
// and calls that the compiler added.
inline constexpr std::string_view kNoScope = "(no scope)";

class HloGraph {
 public:
  // The builder and the log must outlive this.
  HloGraph(ProfileBuilder& builder, ImportLog& log)
      : builder_(builder), log_(log) {}

  // The programs that follow are those of another file: their ids are others.
  void BeginFile();

  // Adds a program under the name `label`. Its proto begins at `offset` of the
  // input with number `input`. `path` is for messages.
  void AddProgram(const HloModule& program, std::string_view label,
                  int64_t program_id, uint32_t input, uint64_t offset,
                  std::string_view path);

  // The node of an instruction that ran, with module and name as the event
  // writes them. An instruction of a program that the file does not have is
  // added, with `op`; then `op_name` is its path. An empty name has none.
  NodeId Find(int64_t program_id, std::string_view module,
              std::string_view name, std::string_view op,
              std::string_view op_name);

  // The node of the instruction that a kernel with this name computes, if an
  // instruction of that program has the name: kernels of fusions have it, with
  // '_' before the number. A kernel that computes several equal instructions
  // has the name of one of them. kNone: no instruction has it.
  NodeId FindKernel(int64_t program_id, std::string_view module,
                    std::string_view kernel) const;

  // Whether a program of the files has the instruction.
  bool Has(int64_t program_id, std::string_view module,
           std::string_view name) const {
    return InProgram(program_id, module, name) != kNone;
  }

  // Bytes of the buffers that the instruction of a node defines.
  int64_t OutputBytes(NodeId n) const {
    return n < output_bytes_.size() ? output_bytes_[n] : 0;
  }
  int64_t num_programs() const { return num_programs_; }
  // Whether an instruction of a program has this opcode.
  bool IsOpcode(std::string_view name) const {
    return opcodes_.contains(builder_.graph().strings.Find(name));
  }

  // The scope of the operation with this op_name.
  ScopeId ScopeOf(std::string_view op_name);

 private:
  StackId StackOf(const HloModule& program, const HloInstruction& instruction);
  void ResolveFrames(const HloModule& program, std::string_view label);
  Frame FrameAt(const HloModule& program, const HloModule::Frame& frame);
  void AddShapes(NodeId n, const HloModule& program,
                 const HloInstruction& instruction);
  void AddGradients(const HloModule& program,
                    const std::vector<NodeId>& node_of);
  void AddOutputBytes(const HloModule& program,
                      const std::vector<NodeId>& node_of, NodeId first_new);
  std::optional<ModuleId> KnownModule(int64_t program_id,
                                      std::string_view module) const;
  ModuleId ModuleOf(int64_t program_id, std::string_view module);
  // The node of an instruction; kNone: none, or Find() added it.
  NodeId InProgram(int64_t program_id, std::string_view module,
                   std::string_view name) const;

  ProfileBuilder& builder_;
  ImportLog& log_;
  int64_t num_programs_ = 0;
  absl::flat_hash_set<StringId> opcodes_;
  absl::flat_hash_map<int64_t, ModuleId> module_of_program_;
  // By the name without the id; kUnnamedModule: several programs have it.
  absl::flat_hash_map<StringId, ModuleId> module_of_name_;
  // Op names, with the scope and, in the program at hand, the first node.
  StringPool op_names_;
  std::vector<ScopeId> scope_of_name_;
  std::vector<std::pair<int64_t, NodeId>> first_of_name_;
  // Of the program at hand.
  std::vector<StackId> stack_of_frame_;
  int64_t wrong_ids_ = 0;
  std::vector<int64_t> output_bytes_;  // by node
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_HLO_GRAPH_H_
