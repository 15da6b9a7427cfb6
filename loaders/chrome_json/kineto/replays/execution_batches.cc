#include "loaders/chrome_json/kineto/replays/execution_batches.h"

#include <bit>
#include <map>

#include "profile/steps/time_column.h"
#include "util/radix_sort.h"

namespace tfprof::kineto {

profile::LaneExecutions& ExecutionBatches::BatchOf(int64_t step,
                                                   profile::LaneId lane,
                                                   bool is_run, bool nests) {
  const Key key = {step, lane, is_run, nests};
  if (last_ < batches_.size() && key == last_key_) {
    return batches_[last_].second;
  }
  const auto [it, added] = index_.try_emplace(key, batches_.size());
  if (added) {
    batches_.push_back({step,
                        {.lane = lane,
                         .records = {},
                         .ticks_per_micro = profile::kNanosPerMicro,
                         .are_runs = is_run}});
  }
  last_key_ = key;
  last_ = it->second;
  return batches_[last_].second;
}

void ExecutionBatches::AddTo(profile::ProfileBuilder& builder) && {
  std::map<int64_t, std::vector<profile::LaneExecutions>> by_step;
  for (auto& [step, batch] : batches_) {
    by_step[step].push_back(std::move(batch));
  }
  for (auto& [step, batches] : by_step) {
    builder.AddExecutions(step, std::move(batches), {});
  }
}

namespace {

// Says which records some links have. It may say so of a few others.
class LinkedRecords {
 public:
  // For `most` records.
  explicit LinkedRecords(size_t most)
      : words_(std::bit_ceil(most / kRecordsPerWord + 1), 0) {}

  void Add(profile::RecordRef record) { words_[WordOf(record)] |= Bit(record); }
  bool MayHave(profile::RecordRef record) const {
    return (words_[WordOf(record)] & Bit(record)) != 0;
  }

 private:
  static constexpr size_t kRecordsPerWord = 8;

  static uint64_t Mix(profile::RecordRef record) {
    return record * 0x9e3779b97f4a7c15;
  }
  size_t WordOf(profile::RecordRef record) const {
    return (Mix(record) >> 32) & (words_.size() - 1);
  }
  static uint64_t Bit(profile::RecordRef record) {
    return uint64_t{1} << (Mix(record) >> 58);
  }

  std::vector<uint64_t> words_;
};

}  // namespace

// Links and executions are sorted by record. A table by hash would cost a cache
// miss for each of millions of executions.
void RecordLinks::AddTo(profile::ProfileBuilder& builder) && {
  if (links_.empty()) return;
  struct End {
    profile::RecordRef record;
    size_t number;  // two of each link
  };
  std::vector<End> ends;
  ends.reserve(2 * links_.size());
  LinkedRecords linked(2 * links_.size());
  for (const RecordLink& link : links_) {
    for (const profile::RecordRef record : {link.from, link.to}) {
      ends.push_back({record, ends.size()});
      linked.Add(record);
    }
  }
  struct Place {
    profile::RecordRef record;
    uint32_t step;  // in finished_steps()
    uint32_t index;
  };
  std::vector<Place> places;
  const auto& steps = builder.finished_steps();
  for (uint32_t s = 0; s < steps.size(); ++s) {
    for (size_t i = 0; i < steps[s]->num_executions(); ++i) {
      const auto record =
          static_cast<profile::RecordRef>(steps[s]->exec_record[i]);
      if (linked.MayHave(record)) {
        places.push_back({record, s, static_cast<uint32_t>(i)});
      }
    }
  }
  util::RadixSort(ends, [](const End& end) { return end.record; });
  util::RadixSort(places, [](const Place& place) { return place.record; });
  std::vector<profile::ExecutionRef> found(ends.size(), {0, profile::kNone});
  auto behind = places.begin();  // the last place that may be of the record
  for (const End& end : ends) {
    while (behind != places.end() && behind->record <= end.record) ++behind;
    if (behind == places.begin() || behind[-1].record != end.record) continue;
    found[end.number] = {steps[behind[-1].step]->id, behind[-1].index};
  }
  for (size_t i = 0; i < links_.size(); ++i) {
    const profile::ExecutionRef &from = found[2 * i], &to = found[2 * i + 1];
    if (from.index == profile::kNone || to.index == profile::kNone) continue;
    builder.AddLink({from, to, links_[i].kind});
  }
}

}  // namespace tfprof::kineto
