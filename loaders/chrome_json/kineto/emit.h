// The executions of a load of Kineto files on their way into the builder, and
// the links between them.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_EMIT_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_EMIT_H_

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/links.h"
#include "profile/profile_builder.h"

namespace tfprof {

// Executions by step and lane. Times are nanoseconds from the origin.
class ExecutionBatches {
 public:
  // An execution whose time is its own wholly.
  void Add(int64_t step, LaneId lane, bool is_run,
           const ExecutionRecord& record) {
    BatchOf(step, lane, is_run, /*nests=*/false).records.push_back(record);
  }
  // An execution that has others inside it.
  void AddNested(int64_t step, LaneId lane, const ExecutionRecord& record,
                 int64_t self) {
    LaneExecutions& batch = BatchOf(step, lane, /*is_run=*/true, true);
    batch.records.push_back(record);
    batch.self.push_back(self);
  }

  // Gives all of them to the builder.
  void AddTo(ProfileBuilder& builder) &&;

 private:
  using Key = std::tuple<int64_t, LaneId, bool, bool>;

  LaneExecutions& BatchOf(int64_t step, LaneId lane, bool is_run, bool nests);

  std::vector<std::pair<int64_t, LaneExecutions>> batches_;
  absl::flat_hash_map<Key, size_t> index_;
  Key last_key_ = {};
  size_t last_ = ~size_t{0};
};

// Links between executions that are named by their records.
class RecordLinks {
 public:
  void Add(RecordRef from, RecordRef to, LinkKind kind) {
    links_.push_back({from, to, kind});
  }
  // When all steps are finished. Links of executions that the builder does not
  // have are dropped.
  void AddTo(ProfileBuilder& builder) &&;

 private:
  struct RecordLink {
    RecordRef from;
    RecordRef to;
    LinkKind kind;
  };
  std::vector<RecordLink> links_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_EMIT_H_
