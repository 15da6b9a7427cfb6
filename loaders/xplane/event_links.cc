#include "loaders/xplane/event_links.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

namespace tfprof {
namespace {

// The records that have links, each with its place. The records of a node are
// looked up in ascending order, and neighbours are in one bucket: no hash table
// is as fast.
class Places {
 public:
  // In any order, some of them several times.
  explicit Places(std::vector<RecordRef> records)
      : records_(std::move(records)) {
    std::sort(records_.begin(), records_.end());
    records_.erase(std::unique(records_.begin(), records_.end()),
                   records_.end());
    places_.assign(records_.size(), {0, kNone});
    for (size_t begin = 0; begin < records_.size();) {
      const RecordRef input = records_[begin] >> kOffsetBits;
      size_t end = begin;
      while (end < records_.size() && records_[end] >> kOffsetBits == input) {
        ++end;
      }
      inputs_.resize(std::max<size_t>(inputs_.size(), input + 1));
      inputs_[input] = MakeInput(begin, end);
      begin = end;
    }
  }

  // nullptr: the record has no link.
  ExecutionRef* Find(RecordRef record) {
    const RecordRef number = record >> kOffsetBits;
    if (number >= inputs_.size()) return nullptr;
    const Input& input = inputs_[number];
    if (input.buckets.empty() || record < input.first) return nullptr;
    const uint64_t bucket = (record - input.first) >> input.shift;
    if (bucket + 1 >= input.buckets.size()) return nullptr;
    for (size_t i = input.buckets[bucket]; i < input.buckets[bucket + 1]; ++i) {
      if (records_[i] == record) return &places_[i];
    }
    return nullptr;
  }

 private:
  struct Input {
    RecordRef first = 0;
    int shift = 0;
    std::vector<size_t> buckets;  // where each begins, and the end
  };

  // An event has some 40 bytes: a bucket of 64 has one or two records.
  Input MakeInput(size_t begin, size_t end) const {
    constexpr int kBucketBits = 6;
    Input input;
    input.first = records_[begin];
    input.shift = kBucketBits;
    const RecordRef range = records_[end - 1] - input.first;
    // Few records in a large file.
    while (range >> input.shift > 16 * (end - begin) + 1024) ++input.shift;
    input.buckets.reserve((range >> input.shift) + 2);
    size_t at = begin;
    for (uint64_t bucket = 0; bucket <= range >> input.shift; ++bucket) {
      input.buckets.push_back(at);
      while (at < end &&
             (records_[at] - input.first) >> input.shift == bucket) {
        ++at;
      }
    }
    input.buckets.push_back(end);
    return input;
  }

  std::vector<RecordRef> records_;  // ascending
  std::vector<ExecutionRef> places_;
  std::vector<Input> inputs_;
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
  std::vector<RecordRef> records;
  records.reserve(2 * links_.size());
  for (const Waiting& link : links_) {
    records.push_back(link.from);
    records.push_back(link.to);
  }
  Places places(std::move(records));
  for (const std::shared_ptr<const Step>& step : builder.finished_steps()) {
    for (size_t e = 0; e < step->num_records(); ++e) {
      ExecutionRef* place =
          places.Find(static_cast<RecordRef>(step->exec_record[e]));
      if (place == nullptr || place->index != kNone) continue;
      *place = {step->id, static_cast<uint32_t>(e)};
    }
  }
  for (const Waiting& link : links_) {
    const ExecutionRef from = *places.Find(link.from);
    const ExecutionRef to = *places.Find(link.to);
    if (from.index == kNone || to.index == kNone) continue;
    builder.AddLink({from, to, link.kind});
  }
  links_.clear();
}

}  // namespace tfprof
