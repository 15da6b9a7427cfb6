// KinetoNodes: the nodes of a load of Kineto files, before they are in the
// profile.
//
// A node is an operator in a scope, called from one place of the program. Its
// name is "SCOPE/OPERATOR"; where one operator of a scope is called from
// several places, the name gets the innermost one: "SCOPE/OPERATOR
// @model.py:42" (and "#2" where that is not enough). Files of several ranks
// share nodes.

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

namespace tfprof {

class KinetoNodes {
 public:
  struct Key {
    ScopeId scope = kRootScope;
    StringId op = kNone;  // the last part of the name
    StackId stack = kNoStack;
  };

  // The number of a node. `type` is its type, of the first call. `record` has
  // its attributes if all calls have the same `dims`, which is not 0.
  uint32_t Add(const Key& key, StringId type, RecordRef record, uint32_t dims);
  // `child` ran inside `parent`.
  void AddCall(uint32_t parent, uint32_t child);
  // `backward` is the gradient of `forward`. The first one counts.
  void AddGradient(uint32_t forward, uint32_t backward);

  // Adds all nodes; the result has their ids by number.
  std::vector<NodeId> Build(ProfileBuilder& builder);

 private:
  struct Node {
    Key key;
    StringId type = kNone;
    RecordRef record = kNoRecord;
    uint32_t dims = 0;
    uint32_t forward = kNone;
  };

  std::vector<StringId> Names(GraphTables& graph) const;

  std::vector<Node> nodes_;
  absl::flat_hash_map<std::tuple<ScopeId, StringId, StackId>, uint32_t> ids_;
  // (parent, child), each once, in the order of first sight.
  std::vector<std::pair<uint32_t, uint32_t>> calls_;
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> known_calls_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_NODES_H_
