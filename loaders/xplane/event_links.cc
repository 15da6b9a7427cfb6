#include "loaders/xplane/event_links.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <tuple>

#include "absl/container/flat_hash_map.h"

namespace tfprof {
namespace {

// Says quickly that a record has no link, which is so for nearly all of them.
class Filter {
 public:
  explicit Filter(size_t records)
      : bits_(std::bit_ceil(std::max<size_t>(64, 16 * records))) {}

  void Add(RecordRef record) { bits_[Place(record)] = true; }
  bool MayHave(RecordRef record) const { return bits_[Place(record)]; }

 private:
  size_t Place(RecordRef record) const {
    return (record * 0x9e3779b97f4a7c15 >> 20) & (bits_.size() - 1);
  }
  std::vector<bool> bits_;
};

}  // namespace

int64_t EventLinks::AddFlows(std::vector<FlowEnd> ends) {
  std::sort(ends.begin(), ends.end(), [](const FlowEnd& a, const FlowEnd& b) {
    return std::tuple(a.type, a.id, a.time, !a.produces, a.record) <
           std::tuple(b.type, b.id, b.time, !b.produces, b.record);
  });
  int64_t lost = 0;
  for (size_t begin = 0; begin < ends.size();) {
    size_t end = begin;
    const FlowEnd* producer = nullptr;
    while (end < ends.size() && ends[end].type == ends[begin].type &&
           ends[end].id == ends[begin].id) {
      if (producer == nullptr && ends[end].produces) producer = &ends[end];
      ++end;
    }
    for (size_t i = begin; i < end; ++i) {
      if (ends[i].produces) {
        producer = &ends[i];
      } else if (producer == nullptr) {
        ++lost;
      } else {
        Add(producer->record, ends[i].record, LinkKind::kData);
      }
    }
    begin = end;
  }
  return lost;
}

void EventLinks::Resolve(ProfileBuilder& builder) {
  if (links_.empty()) return;
  Filter filter(2 * links_.size());
  absl::flat_hash_map<RecordRef, ExecutionRef> places;
  places.reserve(2 * links_.size());
  for (const Waiting& link : links_) {
    filter.Add(link.from);
    filter.Add(link.to);
    places.try_emplace(link.from, ExecutionRef{0, kNone});
    places.try_emplace(link.to, ExecutionRef{0, kNone});
  }
  for (const std::shared_ptr<const Step>& step : builder.finished_steps()) {
    for (size_t e = 0; e < step->num_records(); ++e) {
      const auto record = static_cast<RecordRef>(step->exec_record[e]);
      if (!filter.MayHave(record)) continue;
      const auto it = places.find(record);
      if (it == places.end() || it->second.index != kNone) continue;
      it->second = {step->id, static_cast<uint32_t>(e)};
    }
  }
  for (const Waiting& link : links_) {
    const ExecutionRef from = places[link.from], to = places[link.to];
    if (from.index == kNone || to.index == kNone) continue;
    builder.AddLink({from, to, link.kind});
  }
  links_.clear();
}

}  // namespace tfprof
