// Loads a binary OpLogProto: the types, float operations and call stacks of
// ops, as Python knew them.
//
// Entries of unknown nodes are ignored. A node keeps its first call stack, also
// across several logs of one load. An error means that the file is not an
// OpLogProto; damage inside is in the log. Behaviour: reference spec 2.3.

#ifndef TFPROF_LOADERS_TENSORFLOW_OP_LOG_OP_LOG_H_
#define TFPROF_LOADERS_TENSORFLOW_OP_LOG_OP_LOG_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/tensorflow/call_stacks.h"

namespace tfprof::tensorflow {

// Loads the op logs of one load, one after the other.
class OpLogLoader {
 public:
  // The context must outlive the loader.
  explicit OpLogLoader(loaders::LoadContext& context) : context_(context) {}

  absl::Status Load(const loaders::InputFile& file);

 private:
  // An entry with types or a call stack, or a damaged one.
  struct Entry {
    std::string_view bytes;
    profile::NodeId node = profile::kNone;  // kNone: the entry is damaged
    uint32_t code_def = profile::kNone;     // its number; kNone: it has none
    size_t end_type = 0;                    // where its types end
  };
  // What was read before all strings were known: the file may have them last.
  struct Read {
    std::vector<Entry> entries;
    std::vector<std::string_view> types;  // of all entries
    int64_t num_unknown = 0;              // entries of unknown nodes
  };

  void ReadEntry(std::string_view bytes, CallStackReader& stacks, Read& read);
  // Returns false if the entry is damaged.
  bool AddEntry(const Entry& entry, std::span<const std::string_view> types,
                CallStackReader& stacks);
  // Returns kNone if no node has this name.
  profile::NodeId FindNode(std::string_view name);

  loaders::LoadContext& context_;
  // The node after the last one that was found. TensorFlow writes nodes in the
  // same order into a graph and an op log.
  profile::NodeId next_node_ = 0;
  // Whether a log gave each node a call stack, even an empty one. May be
  // shorter than the table of nodes.
  std::vector<bool> has_stack_;
};

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_OP_LOG_OP_LOG_H_
