#include "loaders/xplane/lines/node_texts.h"

#include <utility>

namespace tfprof::xplane {

void NodeTexts::Note(profile::NodeId node, std::string_view name) {
  if (node >= first_.size()) {
    first_.resize(node + 1);
    same_.resize(node + 1);
  }
  if (name.data() == nullptr) name = "";
  std::string_view& first = first_[node];
  if (first.data() == nullptr) {
    first = name;
    same_[node] = 1;
  } else if (first != name) {
    same_[node] = 0;
  }
}

void NodeTexts::Finish(profile::NodeTable& nodes) && {
  same_.resize(nodes.size());
  nodes.same_texts = std::move(same_);
  nodes.same_texts.shrink_to_fit();
}

}  // namespace tfprof::xplane
