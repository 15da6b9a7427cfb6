// NodeTexts: finds the nodes whose events all have the same name, in all files
// of a profile. The name of an event is the text of its execution
// (Profile::Text()), so whoever reads the names of all executions reads one for
// such a node. The names must outlive the object.

#ifndef TFPROF_LOADERS_XPLANE_LINES_NODE_TEXTS_H_
#define TFPROF_LOADERS_XPLANE_LINES_NODE_TEXTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/tables/node_table.h"

namespace tfprof::xplane {

class NodeTexts {
 public:
  // Notes that a node has events with this name.
  void Note(profile::NodeId node, std::string_view name);
  // Sets NodeTable::same_texts.
  void Finish(profile::NodeTable& nodes) &&;

 private:
  std::vector<std::string_view> first_;  // by node; no data: no event
  std::vector<uint8_t> same_;            // by node
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_LINES_NODE_TEXTS_H_
