#include "loaders/xplane/event_links.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/hash/hash.h"
#include "util/radix_sort.h"

namespace tfprof {
namespace {

bool Before(const FlowEnd* a, const FlowEnd* b) {
  return std::tuple(a->type, a->id, a->time, !a->produces, a->record) <
         std::tuple(b->type, b->id, b->time, !b->produces, b->record);
}

bool AreOfOneFlow(const std::vector<const FlowEnd*>& ends) {
  return std::all_of(ends.begin(), ends.end(), [&](const FlowEnd* end) {
    return end->type == ends[0]->type && end->id == ends[0]->id;
  });
}

// Sorts ends by Before(). Mostly they are two of one flow; but ids may be used
// again and again.
void SortEnds(std::vector<const FlowEnd*>& ends) {
  if (std::is_sorted(ends.begin(), ends.end(), Before)) return;
  if (ends.size() <= 4 || !AreOfOneFlow(ends)) {
    std::sort(ends.begin(), ends.end(), Before);
    return;
  }
  std::vector<std::pair<int64_t, const FlowEnd*>> timed;
  timed.reserve(ends.size());
  for (const FlowEnd* end : ends) timed.push_back({end->time, end});
  std::sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : Before(a.second, b.second);
  });
  for (size_t i = 0; i < ends.size(); ++i) ends[i] = timed[i].second;
}

}  // namespace

void EventLinks::SetPlaces(uint32_t lane, LaneEvents& events) {
  events.places = std::make_shared<std::vector<ExecutionRef>>(
      events.linked.size(), ExecutionRef{0, kNone});
  places_[lane] = events.places;
}

// Ends are divided by a hash of their flow, so that few at a time are sorted.
int64_t EventLinks::AddFlows(const std::vector<FlowEnd>& ends) {
  constexpr uint32_t kHashes = 1 << 22;              // two passes
  std::vector<std::pair<uint32_t, uint32_t>> order;  // hash, end
  order.reserve(ends.size());
  for (const FlowEnd& end : ends) {
    order.push_back(
        {static_cast<uint32_t>(absl::HashOf(end.type, end.id) % kHashes),
         static_cast<uint32_t>(order.size())});
  }
  RadixSort(order, [](const auto& entry) { return uint64_t{entry.first}; });
  int64_t lost = 0;
  std::vector<const FlowEnd*> some;
  for (size_t i = 0; i < order.size(); ++i) {
    some.push_back(&ends[order[i].second]);
    if (i + 1 < order.size() && order[i + 1].first == order[i].first) continue;
    lost += JoinFlows(some);
    some.clear();
  }
  return lost;
}

int64_t EventLinks::JoinFlows(std::vector<const FlowEnd*>& ends) {
  SortEnds(ends);
  int64_t lost = 0;
  for (size_t begin = 0; begin < ends.size();) {
    size_t end = begin;
    const FlowEnd* producer = nullptr;
    while (end < ends.size() && ends[end]->type == ends[begin]->type &&
           ends[end]->id == ends[begin]->id) {
      if (producer == nullptr && ends[end]->produces) producer = ends[end];
      ++end;
    }
    for (size_t i = begin; i < end; ++i) {
      if (ends[i]->produces) {
        producer = ends[i];
      } else if (producer == nullptr) {
        ++lost;
      } else {
        Add(producer->end, ends[i]->end, LinkKind::kData);
      }
    }
    begin = end;
  }
  return lost;
}

// The links of a profile are sorted, so those that are added in this order need
// no second sort.
void EventLinks::Resolve(ProfileBuilder& builder) {
  std::vector<Link> links;
  links.reserve(links_.size());
  for (const Waiting& link : links_) {
    const ExecutionRef& from = PlaceOf(link.from);
    const ExecutionRef& to = PlaceOf(link.to);
    if (from.index == kNone || to.index == kNone) continue;
    links.push_back({from, to, link.kind});
  }
  links_ = {};
  places_ = {};
  std::vector<std::pair<uint64_t, uint32_t>> order;  // from, link
  order.reserve(links.size());
  const auto& steps = builder.finished_steps();
  const Step* step = nullptr;
  uint64_t number = 0;  // of the step
  for (const Link& link : links) {
    if (step == nullptr || step->id != link.from.step) {
      const auto at = std::lower_bound(
          steps.begin(), steps.end(), link.from.step,
          [](const auto& s, int64_t id) { return s->id < id; });
      number = static_cast<uint64_t>(at - steps.begin());
      step = at->get();
    }
    order.push_back(
        {number << 32 | link.from.index, static_cast<uint32_t>(order.size())});
  }
  RadixSort(order, [](const auto& entry) { return entry.first; });
  std::vector<Link> same;  // that begin at one execution
  for (size_t i = 0; i < order.size(); ++i) {
    same.push_back(links[order[i].second]);
    if (i + 1 < order.size() && order[i + 1].first == order[i].first) continue;
    std::sort(same.begin(), same.end());
    for (const Link& link : same) builder.AddLink(link);
    same.clear();
  }
}

}  // namespace tfprof
