// EventLinks: which event launched or fed which other one.
//
// Kernels are joined to their launches by correlation id, consumers to
// producers by the type and id of their flow. A link names executions by their
// place in a step, which exists only when the steps are finished; so links wait
// here as records, and Resolve() finds their places in one pass over all
// executions.

#ifndef TFPROF_LOADERS_XPLANE_EVENT_LINKS_H_
#define TFPROF_LOADERS_XPLANE_EVENT_LINKS_H_

#include <cstdint>
#include <vector>

#include "profile/links.h"
#include "profile/node_table.h"
#include "profile/profile_builder.h"

namespace tfprof {

// One end of a flow.
struct FlowEnd {
  uint64_t type = 0;
  uint64_t id = 0;
  bool produces = false;
  int64_t time = 0;
  RecordRef record = kNoRecord;
};

class EventLinks {
 public:
  void Add(RecordRef from, RecordRef to, LinkKind kind) {
    links_.push_back({from, to, kind});
  }
  // The flows of one file. Each consumer is joined to the last producer before
  // it, or to the first one. Returns the consumers without a producer.
  int64_t AddFlows(std::vector<FlowEnd> ends);

  // Adds the links whose ends are executions of finished steps.
  void Resolve(ProfileBuilder& builder);

 private:
  struct Waiting {
    RecordRef from = kNoRecord, to = kNoRecord;
    LinkKind kind = LinkKind::kData;
  };
  std::vector<Waiting> links_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_EVENT_LINKS_H_
