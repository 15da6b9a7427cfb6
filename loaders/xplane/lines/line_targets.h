// LineTargets: decides which node each group of events of a line belongs to, if
// any.
//
//   host thread    HLO instruction that ran on the CPU, or was launched there;
//                  TensorFlow op; Python frame; any other range
//   GPU stream     HLO instruction, else TensorFlow op, else the kernel by its
//                  name; copies and sets of memory have no node, as in
//                  TensorFlow 1, so no op counts their time
//   TPU            HLO instruction
//   other lines    no node
//
// Nodes of operations are made in two steps, see op_nodes.h: Note() for all
// lines, OpNodes::MakeNodes(), then Resolve() for all lines.

#ifndef TFPROF_LOADERS_XPLANE_LINES_LINE_TARGETS_H_
#define TFPROF_LOADERS_XPLANE_LINES_LINE_TARGETS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "loaders/xplane/hlo/hlo_graph.h"
#include "loaders/xplane/hlo/op_nodes.h"
#include "loaders/xplane/lines/file_line.h"
#include "loaders/xplane/lines/node_texts.h"
#include "profile/profile_builder.h"

namespace tfprof::xplane {

class LineTargets {
 public:
  LineTargets(profile::ProfileBuilder& builder, HloGraph& hlo, OpNodes& ops,
              NodeTexts& texts)
      : builder_(builder), hlo_(hlo), ops_(ops), texts_(texts) {}

  // Fills line.targets, except for nodes of operations.
  void Note(FileLine& line);
  // Sets the nodes of operations, and notes the names of their events.
  void Resolve(FileLine& line);

  // The number of groups of events that are executions of HLO instructions.
  int64_t num_hlo_groups() const { return num_hlo_groups_; }

 private:
  void NoteThread(FileLine& line);
  void NoteStream(FileLine& line);
  void NoteXlaOps(FileLine& line);
  EventTarget HloTarget(const FileLine& line, const EventKey& key);
  EventTarget OutsideTarget(const FileLine& line, const EventKey& key);
  // Reads the further metadata of a TPU's instruction.
  void AddMetadata(const FileLine& line, const EventKey& key,
                   profile::NodeId n);
  profile::StackId StackOfSource(std::string_view source_stack);
  profile::ScopeId Scope(std::string_view part) {
    return builder_.AddScope(profile::kRootScope, part);
  }

  profile::ProfileBuilder& builder_;
  HloGraph& hlo_;
  OpNodes& ops_;
  NodeTexts& texts_;
  int64_t num_hlo_groups_ = 0;
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_LINES_LINE_TARGETS_H_
