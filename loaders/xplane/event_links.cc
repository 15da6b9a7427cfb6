#include "loaders/xplane/event_links.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/hash/hash.h"
#include "util/huge_pages.h"
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

// A cancellation is looked for after so many.
constexpr size_t kCheckEvery = 1 << 16;
// The ends of a flow are anywhere in memory, so they are fetched so many flows
// ahead.
constexpr size_t kPrefetchAhead = 16;

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

// All executions of the steps, numbered through: numbers of 64 bits instead of
// pairs, in the same order.
class StepNumbers {
 public:
  explicit StepNumbers(const std::vector<std::shared_ptr<const Step>>& steps) {
    uint64_t begin = 0;
    for (const auto& step : steps) {
      steps_.push_back({step->id, begin});
      begin += step->num_records();
    }
    steps_.push_back({0, begin});  // where the last one ends
  }

  // False: there is no such execution, or it was dropped to save memory.
  bool Find(const ExecutionRef& execution, uint64_t& number) {
    if (last_ + 1 == steps_.size() || steps_[last_].id != execution.step) {
      const auto at =
          std::lower_bound(steps_.begin(), steps_.end() - 1, execution.step,
                           [](const auto& s, int64_t id) { return s.id < id; });
      last_ = static_cast<size_t>(at - steps_.begin());
      if (last_ + 1 == steps_.size() || at->id != execution.step) return false;
    }
    number = steps_[last_].begin + execution.index;
    return number < steps_[last_ + 1].begin;
  }

  // The execution that has a number of Find().
  ExecutionRef At(uint64_t number) {
    if (last_ + 1 == steps_.size() || number < steps_[last_].begin ||
        number >= steps_[last_ + 1].begin) {
      const auto behind = std::upper_bound(
          steps_.begin(), steps_.end() - 1, number,
          [](uint64_t n, const auto& step) { return n < step.begin; });
      last_ = static_cast<size_t>(behind - steps_.begin()) - 1;
    }
    return {steps_[last_].id,
            static_cast<uint32_t>(number - steps_[last_].begin)};
  }

 private:
  struct Range {
    int64_t id;
    uint64_t begin;  // the number of its first execution
  };
  std::vector<Range> steps_;
  size_t last_ = 0;  // mostly that of the next one
};

// A link whose ends are numbers of executions. `to_and_kind` has the kind in
// its lowest bits, so that it orders the links of one execution.
struct NumberedLink {
  static constexpr int kKindBits = 2;

  uint64_t from = 0;
  uint64_t to_and_kind = 0;

  uint64_t to() const { return to_and_kind >> kKindBits; }
  LinkKind kind() const {
    return static_cast<LinkKind>(to_and_kind & ((1 << kKindBits) - 1));
  }
};

bool EndsBefore(const NumberedLink& a, const NumberedLink& b) {
  return a.to_and_kind < b.to_and_kind;
}

}  // namespace

void EventLinks::SetPlaces(uint32_t lane, LaneEvents& events) {
  events.places = std::make_shared<std::vector<ExecutionRef>>(
      events.linked.size(), ExecutionRef{0, kNone});
  places_[lane] = events.places;
}

void EventLinks::Reserve(size_t links) {
  links_.reserve(links_.size() + links);
  AdviseHugePages(links_.data() + links_.size(), links * sizeof(Waiting));
}

// Ends are divided by a hash of their flow, so that few at a time are sorted.
int64_t EventLinks::AddFlows(const std::vector<FlowEnd>& ends,
                             const Cancellation* cancellation) {
  constexpr uint32_t kHashes = 1 << 22;              // two passes
  std::vector<std::pair<uint32_t, uint32_t>> order;  // hash, end
  order.reserve(ends.size());
  for (const FlowEnd& end : ends) {
    order.push_back(
        {static_cast<uint32_t>(absl::HashOf(end.type, end.id) % kHashes),
         static_cast<uint32_t>(order.size())});
  }
  int64_t lost = 0;
  if (!RadixSort(
          order, [](const auto& entry) { return uint64_t{entry.first}; },
          cancellation)) {
    return lost;
  }
  std::vector<const FlowEnd*> some;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i % kCheckEvery == 0 && IsCancelled(cancellation)) return lost;
    if (i + kPrefetchAhead < order.size()) {
      __builtin_prefetch(&ends[order[i + kPrefetchAhead].second]);
    }
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
void EventLinks::Resolve(ProfileBuilder& builder,
                         const Cancellation* cancellation) {
  StepNumbers numbers(builder.finished_steps());
  std::vector<NumberedLink> links;
  links.reserve(links_.size());
  for (size_t i = 0; i < links_.size(); ++i) {
    if (i % kCheckEvery == 0 && IsCancelled(cancellation)) return;
    const ExecutionRef& from = PlaceOf(links_[i].from);
    const ExecutionRef& to = PlaceOf(links_[i].to);
    if (from.index == kNone || to.index == kNone) continue;
    NumberedLink link;
    uint64_t number = 0;
    if (numbers.Find(from, link.from) && numbers.Find(to, number)) {
      link.to_and_kind = number << NumberedLink::kKindBits |
                         static_cast<uint64_t>(links_[i].kind);
      links.push_back(link);
    }
  }
  links_ = {};
  places_ = {};
  if (!RadixSort(
          links, [](const NumberedLink& link) { return link.from; },
          cancellation)) {
    return;
  }
  for (size_t begin = 0, end = 0, checked = 0; begin < links.size();
       begin = end) {
    const auto is_of_other = [&](const NumberedLink& link) {
      return link.from != links[begin].from;
    };
    end = begin + 1;
    while (end < links.size() && !is_of_other(links[end])) ++end;
    const auto first = links.begin() + static_cast<ptrdiff_t>(begin);
    const auto last = links.begin() + static_cast<ptrdiff_t>(end);
    if (!std::is_sorted(first, last, EndsBefore)) {
      std::sort(first, last, EndsBefore);
    }
    for (size_t i = begin; i < end; ++i) {
      builder.AddLink({numbers.At(links[i].from), numbers.At(links[i].to()),
                       links[i].kind()});
    }
    if (end - checked < kCheckEvery) continue;
    if (IsCancelled(cancellation)) return;
    checked = end;
  }
}

}  // namespace tfprof
