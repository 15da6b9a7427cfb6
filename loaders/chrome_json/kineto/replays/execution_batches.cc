#include "loaders/chrome_json/kineto/replays/execution_batches.h"

#include <map>

#include "profile/steps/time_column.h"

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

void RecordLinks::AddTo(profile::ProfileBuilder& builder) && {
  if (links_.empty()) return;
  constexpr profile::ExecutionRef kUnknown = {0, profile::kNone};
  absl::flat_hash_map<profile::RecordRef, profile::ExecutionRef> places;
  places.reserve(2 * links_.size());
  for (const RecordLink& link : links_) {
    places.try_emplace(link.from, kUnknown);
    places.try_emplace(link.to, kUnknown);
  }
  for (const auto& step : builder.finished_steps()) {
    for (size_t i = 0; i < step->num_executions(); ++i) {
      const auto place =
          places.find(static_cast<profile::RecordRef>(step->exec_record[i]));
      if (place != places.end()) {
        place->second = {step->id, static_cast<uint32_t>(i)};
      }
    }
  }
  for (const RecordLink& link : links_) {
    const profile::ExecutionRef from = places[link.from], to = places[link.to];
    if (from.index == profile::kNone || to.index == profile::kNone) continue;
    builder.AddLink({from, to, link.kind});
  }
}

}  // namespace tfprof::kineto
