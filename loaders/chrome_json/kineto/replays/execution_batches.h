// Collects the executions of a load of Kineto files, and the links between
// them, and passes them to the builder.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_EXECUTION_BATCHES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_EXECUTION_BATCHES_H_

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/profile_builder.h"
#include "profile/tables/links.h"

namespace tfprof::kineto {

// Executions by step and lane. Times are nanoseconds from the origin.
class ExecutionBatches {
 public:
  // Adds an execution without others inside it.
  void Add(int64_t step, profile::LaneId lane, bool is_run,
           const profile::ExecutionRecord& record) {
    BatchOf(step, lane, is_run, /*nests=*/false).records.push_back(record);
  }
  // Adds an execution that has others inside it; `self` excludes them.
  void AddNested(int64_t step, profile::LaneId lane,
                 const profile::ExecutionRecord& record, int64_t self) {
    profile::LaneExecutions& batch = BatchOf(step, lane, /*is_run=*/true, true);
    batch.records.push_back(record);
    batch.self.push_back(self);
  }

  // Passes all executions to the builder.
  void AddTo(profile::ProfileBuilder& builder) &&;

 private:
  using Key = std::tuple<int64_t, profile::LaneId, bool, bool>;

  profile::LaneExecutions& BatchOf(int64_t step, profile::LaneId lane,
                                   bool is_run, bool nests);

  std::vector<std::pair<int64_t, profile::LaneExecutions>> batches_;
  absl::flat_hash_map<Key, size_t> index_;
  Key last_key_ = {};
  size_t last_ = ~size_t{0};
};

// Links between executions, which are given by their records.
class RecordLinks {
 public:
  void Add(profile::RecordRef from, profile::RecordRef to,
           profile::LinkKind kind) {
    links_.push_back({from, to, kind});
  }
  // Call this when all steps are finished. Drops links of executions that the
  // builder does not have.
  void AddTo(profile::ProfileBuilder& builder) &&;

 private:
  struct RecordLink {
    profile::RecordRef from;
    profile::RecordRef to;
    profile::LinkKind kind;
  };
  std::vector<RecordLink> links_;
};

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_EXECUTION_BATCHES_H_
