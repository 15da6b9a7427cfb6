// KinetoNodes: the nodes of a load of Kineto files, before they are in the
// profile.
//
// A node is an operator in a scope, called from one place of the program. Its
// name is "SCOPE/OPERATOR". If an operator of a scope is called from several
// places, the name also has the innermost place, "SCOPE/OPERATOR @model.py:42",
// and if needed a number ("#2"). Files of several ranks share nodes. Nodes are
// numbered from 0 in the order of Add().

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_NODES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_NODES_H_

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "profile/profile_builder.h"

namespace tfprof::kineto {

class KinetoNodes {
 public:
  struct Key {
    profile::ScopeId scope = profile::kRootScope;
    profile::StringId op = profile::kNone;  // the last part of the name
    profile::StackId stack = profile::kNoStack;
  };

  // Returns the number of a node. `type` is used at the first call. `record`
  // has the attributes of the node if all calls have the same `dims`, which is
  // not 0.
  uint32_t Add(const Key& key, profile::StringId type,
               profile::RecordRef record, uint32_t dims);
  // Notes that `child` ran inside `parent`. Build() drops calls that close a
  // cycle.
  void AddCall(uint32_t parent, uint32_t child);
  // Notes that `backward` is the gradient of `forward`; the first call wins.
  void AddGradient(uint32_t forward, uint32_t backward);

  // Adds all nodes to the profile; returns their ids by number.
  std::vector<profile::NodeId> Build(profile::ProfileBuilder& builder);

 private:
  struct Node {
    Key key;
    profile::StringId type = profile::kNone;
    profile::RecordRef record = profile::kNoRecord;
    uint32_t dims = 0;
    uint32_t forward = profile::kNone;
  };

  std::vector<profile::StringId> Names(profile::GraphTables& graph) const;

  std::vector<Node> nodes_;
  absl::flat_hash_map<
      std::tuple<profile::ScopeId, profile::StringId, profile::StackId>,
      uint32_t>
      ids_;
  // (parent, child), each pair once, in the order of the first call.
  std::vector<std::pair<uint32_t, uint32_t>> calls_;
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> known_calls_;
};

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_NODES_H_
