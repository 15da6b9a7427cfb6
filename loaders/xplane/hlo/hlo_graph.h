// HloGraph: adds the instructions of compiled programs as nodes of the profile.
//
// A program is a module with its name in the file: "jit_step(30)". Its
// instructions are nodes, with the opcode as op. The edges of an instruction
// are its operands, then its control predecessors, then the roots of the
// computations that it calls, so that a fusion depends on what was fused. The
// scope of a node is the path in its op_name without the last part; an
// instruction without op_name is in kNoScope. Its call stack comes from the
// stack frames, or, in older files, is one frame of source_file and
// source_line.
//
// Two hosts that run the same program share its nodes. The log counts ids that
// do not exist and frames that call each other; the rest is used.

#ifndef TFPROF_LOADERS_XPLANE_HLO_HLO_GRAPH_H_
#define TFPROF_LOADERS_XPLANE_HLO_HLO_GRAPH_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "loaders/core/import_log.h"
#include "loaders/xplane/hlo/hlo_proto.h"
#include "profile/profile_builder.h"

namespace tfprof::xplane {

// The scope of instructions of unknown origin: copies and calls that the
// compiler added.
inline constexpr std::string_view kNoScope = "(no scope)";

class HloGraph {
 public:
  // The builder and the log must outlive this.
  HloGraph(profile::ProfileBuilder& builder, loaders::ImportLog& log)
      : builder_(builder), log_(log) {}

  // Begins another file, which has its own program ids.
  void BeginFile();

  // Adds a program under the name `label`. Its proto begins at `offset` in
  // input number `input`. `path` is for messages.
  void AddProgram(const HloModule& program, std::string_view label,
                  int64_t program_id, uint32_t input, uint64_t offset,
                  std::string_view path);

  // Returns the node of an instruction that ran, with module and name as in the
  // event. An instruction whose program is not in the file is added, with `op`
  // and the path `op_name`. An empty name has no node.
  profile::NodeId Find(int64_t program_id, std::string_view module,
                       std::string_view name, std::string_view op,
                       std::string_view op_name);

  // Returns the node of the instruction that a kernel with this name computes,
  // or kNone. The kernels of fusions have the name of an instruction, with '_'
  // before the number. A kernel that computes several equal instructions has
  // the name of one of them.
  profile::NodeId FindKernel(int64_t program_id, std::string_view module,
                             std::string_view kernel) const;

  // Returns whether a program of the files has the instruction.
  bool Has(int64_t program_id, std::string_view module,
           std::string_view name) const {
    return InProgram(program_id, module, name) != profile::kNone;
  }

  // Returns the bytes of the buffers that the instruction of a node defines.
  int64_t OutputBytes(profile::NodeId n) const {
    return n < output_bytes_.size() ? output_bytes_[n] : 0;
  }
  int64_t num_programs() const { return num_programs_; }
  // Returns whether an instruction of a program has this opcode.
  bool IsOpcode(std::string_view name) const {
    return opcodes_.contains(builder_.graph().strings.Find(name));
  }

  // Returns the scope of the operation with this op_name.
  profile::ScopeId ScopeOf(std::string_view op_name);

 private:
  profile::StackId StackOf(const HloModule& program,
                           const HloInstruction& instruction);
  void ResolveFrames(const HloModule& program, std::string_view label);
  profile::Frame FrameAt(const HloModule& program,
                         const HloModule::Frame& frame);
  void AddShapes(profile::NodeId n, const HloModule& program,
                 const HloInstruction& instruction);
  void AddGradients(const HloModule& program,
                    const std::vector<profile::NodeId>& node_of);
  void AddOutputBytes(const HloModule& program,
                      const std::vector<profile::NodeId>& node_of,
                      profile::NodeId first_new);
  std::optional<profile::ModuleId> KnownModule(int64_t program_id,
                                               std::string_view module) const;
  profile::ModuleId ModuleOf(int64_t program_id, std::string_view module);
  // Returns the node of an instruction; kNone if there is none, or Find() added
  // it.
  profile::NodeId InProgram(int64_t program_id, std::string_view module,
                            std::string_view name) const;

  profile::ProfileBuilder& builder_;
  loaders::ImportLog& log_;
  int64_t num_programs_ = 0;
  absl::flat_hash_set<profile::StringId> opcodes_;
  absl::flat_hash_map<int64_t, profile::ModuleId> module_of_program_;
  // Module by name without id; kUnnamedModule: several programs have the name.
  absl::flat_hash_map<profile::StringId, profile::ModuleId> module_of_name_;
  // Op names, with their scope and their first node in the current program.
  profile::StringPool op_names_;
  std::vector<profile::ScopeId> scope_of_name_;
  std::vector<std::pair<int64_t, profile::NodeId>> first_of_name_;
  // State of the current program.
  std::vector<profile::StackId> stack_of_frame_;
  int64_t wrong_ids_ = 0;
  std::vector<int64_t> output_bytes_;  // by node
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_HLO_HLO_GRAPH_H_
