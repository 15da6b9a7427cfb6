// ViewContext: what the views of one profile share: node statistics by step,
// the order of names, and which types a list of regular expressions accounts.
//
// Everything is computed on first use and kept, so that repeating a query with
// another order or filter does not account again. Not thread safe; one for a
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
#include "util/work.h"
#include "views/options.h"

namespace tfprof {

class ViewContext {
 public:
  explicit ViewContext(const Profile& profile, const Work& work = {})
      : profile_(&profile), work_(work) {}

  const Profile& profile() const { return *profile_; }
  // How what is computed here may run.
  const Work& work() const { return work_; }

  // By node id; for a step, or (negative) the average. Kept for the last two
  // asked for.
  std::shared_ptr<const StatsTable> NodeStats(
      int64_t step, FlopsSource flops = FlopsSource::kOpLog);

  // Float operations of one run of each node. Kept for the source asked for
  // last.
  const FlopsColumn& FloatOps(FlopsSource source);

  // All nodes in ascending byte order of their names.
  const std::vector<NodeId>& NodesByName();

  // By type set: how many of `patterns` match one of its types. A node is
  // accounted when that is positive; the op and code views of the reference
  // count it as often as that.
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
  FlopsSource flops_source_ = FlopsSource::kOpLog;  // of the column
  std::vector<NodeId> by_name_;
  RegexPatterns accounted_patterns_;
  std::vector<uint32_t> accounted_;
};

// How many of `patterns` match `type`, the type of synthetic rows, which is in
// no type set.
uint32_t CountMatches(const RegexPatterns& patterns, std::string_view type);

}  // namespace tfprof

#endif  // TFPROF_VIEWS_CONTEXT_H_
