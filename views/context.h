// ViewContext: data that the views of one profile share: node statistics by
// step, the order of names, and how many of the account types (regular
// expressions) each type set matches.
//
// Everything is computed on first use and cached, so a query with another order
// or filter does not repeat the accounting. Not thread-safe; use one per
// session.

#ifndef TFPROF_VIEWS_CONTEXT_H_
#define TFPROF_VIEWS_CONTEXT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "accounting/node_stats.h"
#include "flops/flops_column.h"
#include "flops/graph_flops.h"
#include "profile/profile.h"
#include "util/run/work.h"
#include "views/options.h"

namespace tfprof {

class ViewContext {
 public:
  explicit ViewContext(const Profile& profile, const Work& work = {})
      : profile_(&profile), work_(work) {}

  const Profile& profile() const { return *profile_; }
  // The threads and the cancellation for all computations.
  const Work& work() const { return work_; }

  // Returns the statistics by node id, for a step or (negative) the average.
  // The last two results are cached.
  std::shared_ptr<const StatsTable> NodeStats(
      int64_t step, FlopsSource flops = FlopsSource::kOpLog);

  // Returns the float operations of one run of each node. The last result is
  // cached.
  const FlopsColumn& FloatOps(FlopsSource source);

  // Returns all nodes in ascending byte order of their names.
  const std::vector<NodeId>& NodesByName();

  // Returns, by type set, how many of `patterns` match one of its types. A node
  // is accounted if this is positive; the op and code views of the reference
  // count it that many times.
  const std::vector<uint32_t>& Accounted(const RegexPatterns& patterns);

 private:
  const Profile* profile_;
  Work work_;
  struct CachedStats {
    int64_t step;
    FlopsSource flops;
    std::shared_ptr<const StatsTable> stats;
  };
  std::vector<CachedStats> stats_;
  std::optional<GraphFlops> graph_flops_;
  std::optional<FlopsColumn> flops_column_;
  FlopsSource flops_source_ = FlopsSource::kOpLog;  // of the cached column
  std::vector<NodeId> by_name_;
  RegexPatterns accounted_patterns_;
  std::vector<uint32_t> accounted_;
};

// Returns how many of `patterns` match `type`, the type of synthetic rows,
// which is in no type set.
uint32_t CountMatches(const RegexPatterns& patterns, std::string_view type);

}  // namespace tfprof

#endif  // TFPROF_VIEWS_CONTEXT_H_
