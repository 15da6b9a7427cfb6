// EventLinks: which event launched or fed which other event.
//
// Kernels are joined to their launches by correlation id, and consumers to
// producers by the type and id of their flow. A link names executions by their
// position in a step, which is known only when the steps are finished. Until
// then links are kept as ends. An end is an entry in LaneEvents::linked of a
// lane; the builder writes its position (LaneEvents::places).

#ifndef TFPROF_LOADERS_XPLANE_LINES_EVENT_LINKS_H_
#define TFPROF_LOADERS_XPLANE_LINES_EVENT_LINKS_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "profile/profile_builder.h"
#include "profile/steps/lane_events.h"
#include "profile/tables/links.h"
#include "profile/tables/node_table.h"
#include "util/run/cancellation.h"

namespace tfprof::xplane {

// An end of a link.
struct LinkEnd {
  uint32_t lane = 0;   // from EventLinks::AddLane
  uint32_t entry = 0;  // in LaneEvents::linked
};

// One end of a flow.
struct FlowEnd {
  uint64_t type = 0;
  uint64_t id = 0;
  bool produces = false;
  int64_t time = 0;
  profile::RecordRef record =
      profile::kNoRecord;  // orders ends with the same time
  LinkEnd end;
};

class EventLinks {
 public:
  // Returns the number of a new lane whose events may have links.
  uint32_t AddLane() {
    places_.push_back(nullptr);
    return static_cast<uint32_t>(places_.size() - 1);
  }
  // Makes and keeps positions for the linked events of the lane.
  void SetPlaces(uint32_t lane, profile::LaneEvents& events);

  // Reserves memory for this many more links.
  void Reserve(size_t links);
  void Add(LinkEnd from, LinkEnd to, profile::LinkKind kind);
  // Adds the flows of one file. Each consumer is joined to the last producer
  // before it, or else to the first one. Returns the number of consumers
  // without a producer. After a cancellation some links are missing.
  int64_t AddFlows(const std::vector<FlowEnd>& ends,
                   const util::Cancellation* cancellation = nullptr);

  // Adds the links whose ends are executions to the builder. All steps must be
  // finished. After a cancellation some links are missing.
  void Resolve(profile::ProfileBuilder& builder,
               const util::Cancellation* cancellation = nullptr);

 private:
  // A link whose ends are numbers, first of LinkEnds, then of executions. The
  // lowest bits of the second number are the kind, so that sorting also orders
  // the links of one execution.
  struct NumberedLink {
    static constexpr int kKindBits = 2;
    static_assert(static_cast<int>(profile::LinkKind::kData) < 1 << kKindBits);

    uint64_t from = 0;
    uint64_t to_and_kind = 0;

    static uint64_t Join(uint64_t to, profile::LinkKind kind) {
      return to << kKindBits | static_cast<uint64_t>(kind);
    }
    uint64_t to() const { return to_and_kind >> kKindBits; }
    profile::LinkKind kind() const {
      return static_cast<profile::LinkKind>(to_and_kind &
                                            ((1 << kKindBits) - 1));
    }
    friend auto operator<=>(const NumberedLink&, const NumberedLink&) = default;
  };

  // Sorts the links of each execution, which are already adjacent. Returns
  // false if cancelled.
  bool SortWithin(const util::Cancellation* cancellation);
  // Joins the ends of one flow, or of a few flows with the same hash.
  int64_t JoinFlows(std::vector<const FlowEnd*>& ends);
  const profile::ExecutionRef& PlaceOf(LinkEnd end) const {
    return (*places_[end.lane])[end.entry];
  }

  std::vector<NumberedLink> links_;
  std::vector<std::shared_ptr<const std::vector<profile::ExecutionRef>>>
      places_;
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_LINES_EVENT_LINKS_H_
