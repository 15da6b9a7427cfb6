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
#include "util/run/task_options.h"
#include "views/options.h"

namespace tfprof::views {

class ViewContext {
 public:
  explicit ViewContext(const profile::Profile& profile,
                       const util::TaskOptions& work = {})
      : profile_(&profile), work_(work) {}

  const profile::Profile& profile() const { return *profile_; }
  // The threads and the cancellation for all computations.
  const util::TaskOptions& work() const { return work_; }

  // Returns the statistics by node id, for a step or (negative) the average.
  // The last two results are cached.
  std::shared_ptr<const accounting::StatsTable> NodeStats(
      int64_t step, flops::FlopsSource flops = flops::FlopsSource::kOpLog);

  // Returns the float operations of one run of each node. The last result is
  // cached.
  const flops::FlopsColumn& FloatOps(flops::FlopsSource source);

  // Returns all nodes in ascending byte order of their names.
  const std::vector<profile::NodeId>& NodesByName();

  // Returns, by type set, how many of `patterns` match one of its types. A node
  // is accounted if this is positive; the op and code views of the reference
  // count it that many times.
  const std::vector<uint32_t>& Accounted(const RegexPatterns& patterns);

 private:
  const profile::Profile* profile_;
  util::TaskOptions work_;
  struct CachedStats {
    int64_t step;
    flops::FlopsSource flops;
    std::shared_ptr<const accounting::StatsTable> stats;
  };
  std::vector<CachedStats> stats_;
  std::optional<flops::GraphFlops> graph_flops_;
  std::optional<flops::FlopsColumn> flops_column_;
  flops::FlopsSource flops_source_ =
      flops::FlopsSource::kOpLog;  // of the cached column
  std::vector<profile::NodeId> by_name_;
  RegexPatterns accounted_patterns_;
  std::vector<uint32_t> accounted_;
};

// Returns how many of `patterns` match `type`, the type of synthetic rows,
// which is in no type set.
uint32_t CountMatches(const RegexPatterns& patterns, std::string_view type);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_CONTEXT_H_
