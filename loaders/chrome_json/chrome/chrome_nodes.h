// ChromeNodes: makes the nodes of chrome traces.
//
// A call is a name, and a source location if it is known, inside another call.
// Each call has a scope for the calls inside it, a call stack, and a node. The
// builder owns the nodes.

#ifndef TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_NODES_H_
#define TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_NODES_H_

#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/nodes/trace_nodes.h"

namespace tfprof::chrome_json {

class ChromeNodes {
 public:
  using CallId = uint32_t;

  // The builder must outlive this.
  explicit ChromeNodes(profile::ProfileBuilder& builder)
      : builder_(builder), nodes_(builder) {}

  // Begins the next file. `has_frames`: some of its calls have frames, so all
  // of them get call stacks.
  void SetFile(bool has_frames) { has_frames_ = has_frames; }

  // Returns the parent of the outermost calls: the scope `name`, or the root if
  // it is empty.
  CallId Root(std::string_view name);
  // Returns the call of `name` inside `caller`. `frame` is kNone if its source
  // location is unknown.
  CallId Call(CallId caller, profile::StringId name, profile::FrameId frame);
  profile::NodeId NodeOf(CallId call);

  // Returns the node of an operation, whose name is a path.
  profile::NodeId Operation(profile::StringId name, profile::StringId op);

  int64_t num_too_deep() const { return nodes_.num_too_deep(); }

 private:
  struct Entry {
    profile::StringId name = profile::kNone;
    profile::ScopeId scope = profile::kRootScope;  // the scope around it
    profile::ScopeId inner =
        profile::kRootScope;  // the scope for the calls inside it
    profile::StackId stack = profile::kNoStack;
    profile::NodeId node = profile::kNone;  // kNone: not made yet
  };

  profile::FrameId FrameWithoutPlace(profile::StringId name);

  profile::ProfileBuilder& builder_;
  loaders::TraceNodes nodes_;
  bool has_frames_ = false;
  std::vector<Entry> calls_;
  absl::flat_hash_map<std::tuple<CallId, profile::StringId, profile::FrameId>,
                      CallId>
      ids_;
  absl::flat_hash_map<profile::StringId, CallId> roots_;
  absl::flat_hash_map<std::pair<profile::StringId, profile::StringId>,
                      profile::NodeId>
      operations_;
};

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_NODES_H_
