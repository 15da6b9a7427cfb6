#include "loaders/xplane/lines/event_links.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "absl/hash/hash.h"
#include "util/radix_sort.h"
#include "util/run/huge_pages.h"

namespace tfprof::xplane {
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

// How many ends are handled between two checks for a cancellation.
constexpr size_t kEventsBetweenChecks = 1 << 16;
// The ends of a flow are scattered in memory, so they are prefetched this many
// flows ahead.
constexpr size_t kPrefetchAhead = 16;

// Sorts ends by Before(). Usually they are the two ends of one flow, but ids
// may be used again and again.
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

// Numbers all executions of the steps: 64-bit numbers instead of pairs, in the
// same order.
class StepNumbers {
 public:
  explicit StepNumbers(
      const std::vector<std::shared_ptr<const profile::Step>>& steps) {
    uint64_t begin = 0;
    for (const auto& step : steps) {
      steps_.push_back({step->id, begin});
      begin += step->num_records();
    }
    steps_.push_back({0, begin});  // the end of the last one
  }

  // Returns false if there is no such execution, or it was dropped to save
  // memory.
  bool Find(const profile::ExecutionRef& execution, uint64_t& number) {
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

  // Returns the execution with a number from Find().
  profile::ExecutionRef At(uint64_t number) {
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
  size_t last_ = 0;  // usually also the next one
};

uint64_t NumberOf(LinkEnd end) { return uint64_t{end.lane} << 32 | end.entry; }

LinkEnd EndOf(uint64_t number) {
  return {static_cast<uint32_t>(number >> 32), static_cast<uint32_t>(number)};
}

}  // namespace

void EventLinks::SetPlaces(uint32_t lane, profile::LaneEvents& events) {
  events.places = std::make_shared<std::vector<profile::ExecutionRef>>(
      events.linked.size(), profile::ExecutionRef{0, profile::kNone});
  places_[lane] = events.places;
}

void EventLinks::Reserve(size_t links) {
  links_.reserve(links_.size() + links);
  util::AdviseHugePages(links_.data() + links_.size(),
                        links * sizeof(NumberedLink));
}

void EventLinks::Add(LinkEnd from, LinkEnd to, profile::LinkKind kind) {
  links_.push_back({NumberOf(from), NumberedLink::Join(NumberOf(to), kind)});
}

// Ends are divided by a hash of their flow, so that few are sorted at a time.
int64_t EventLinks::AddFlows(const std::vector<FlowEnd>& ends,
                             const util::Cancellation* cancellation) {
  constexpr uint32_t kHashes = 1 << 22;              // two passes
  std::vector<std::pair<uint32_t, uint32_t>> order;  // hash, end
  order.reserve(ends.size());
  for (const FlowEnd& end : ends) {
    order.push_back(
        {static_cast<uint32_t>(absl::HashOf(end.type, end.id) % kHashes),
         static_cast<uint32_t>(order.size())});
  }
  int64_t lost = 0;
  if (!util::RadixSort(
          order, [](const auto& entry) { return uint64_t{entry.first}; },
          cancellation)) {
    return lost;
  }
  std::vector<const FlowEnd*> some;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i % kEventsBetweenChecks == 0 && IsCancelled(cancellation)) return lost;
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
        Add(producer->end, ends[i]->end, profile::LinkKind::kData);
      }
    }
    begin = end;
  }
  return lost;
}

// Replaces ends by executions in place, which saves a copy. The links of a
// profile are sorted, so they go directly into its columns.
void EventLinks::Resolve(profile::ProfileBuilder& builder,
                         const util::Cancellation* cancellation) {
  StepNumbers numbers(builder.finished_steps());
  size_t found = 0;
  for (size_t i = 0; i < links_.size(); ++i) {
    if (i % kEventsBetweenChecks == 0 && IsCancelled(cancellation)) return;
    const profile::ExecutionRef& from = PlaceOf(EndOf(links_[i].from));
    const profile::ExecutionRef& to = PlaceOf(EndOf(links_[i].to()));
    if (from.index == profile::kNone || to.index == profile::kNone) continue;
    const profile::LinkKind kind = links_[i].kind();
    uint64_t first = 0, second = 0;
    if (numbers.Find(from, first) && numbers.Find(to, second)) {
      links_[found++] = {first, NumberedLink::Join(second, kind)};
    }
  }
  links_.resize(found);
  places_ = {};
  if (!util::RadixSort(
          links_, [](const NumberedLink& link) { return link.from; },
          cancellation)) {
    return;
  }
  if (!SortWithin(cancellation)) return;
  links_.erase(std::unique(links_.begin(), links_.end()), links_.end());
  StepNumbers of_from = numbers, of_to = numbers;
  builder.AddSortedLinks(profile::Links(
      std::span<const NumberedLink>(links_),
      [&](const NumberedLink& link) { return of_from.At(link.from); },
      [&](const NumberedLink& link) { return of_to.At(link.to()); },
      [](const NumberedLink& link) { return link.kind(); }));
  links_ = {};
}

bool EventLinks::SortWithin(const util::Cancellation* cancellation) {
  for (size_t begin = 0, end = 0, checked = 0; begin < links_.size();
       begin = end) {
    end = begin + 1;
    bool sorted = true;
    while (end < links_.size() && links_[end].from == links_[begin].from) {
      sorted &= links_[end - 1] <= links_[end];
      ++end;
    }
    if (!sorted) {
      std::sort(links_.begin() + static_cast<ptrdiff_t>(begin),
                links_.begin() + static_cast<ptrdiff_t>(end));
    }
    if (end - checked < kEventsBetweenChecks) continue;
    if (IsCancelled(cancellation)) return false;
    checked = end;
  }
  return true;
}

}  // namespace tfprof::xplane
