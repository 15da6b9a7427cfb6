#include "views/context.h"

#include <algorithm>

#include "util/run/self_profile.h"
#include "views/name_order.h"
#include "views/regex_list.h"

namespace tfprof::views {

std::shared_ptr<const accounting::StatsTable> ViewContext::NodeStats(
    int64_t step, flops::FlopsSource flops) {
  step = accounting::CanonicalStep(step);
  for (const CachedStats& cached : stats_) {
    if (cached.step == step && cached.flops == flops) return cached.stats;
  }
  if (stats_.size() >= 2) stats_.erase(stats_.begin());
  const std::vector<int64_t>* column =
      flops == flops::FlopsSource::kOpLog ? nullptr : &FloatOps(flops).flops;
  stats_.push_back(
      {step, flops,
       std::make_shared<accounting::StatsTable>(
           accounting::ComputeNodeStats(*profile_, step, column, work_))});
  return stats_.back().stats;
}

const flops::FlopsColumn& ViewContext::FloatOps(flops::FlopsSource source) {
  if (flops_column_ && flops_source_ == source) return *flops_column_;
  const bool from_graph = source == flops::FlopsSource::kAuto ||
                          source == flops::FlopsSource::kGraph;
  if (from_graph && !graph_flops_) {
    const util::ScopedPhase phase("float operations");
    graph_flops_ = flops::ComputeGraphFlops(*profile_);
  }
  flops_source_ = source;
  return flops_column_.emplace(flops::MakeFlopsColumn(
      *profile_, source, from_graph ? &*graph_flops_ : nullptr));
}

const std::vector<profile::NodeId>& ViewContext::NodesByName() {
  if (by_name_.size() != profile_->nodes().size()) {
    std::vector<NamedId> names;
    names.reserve(profile_->nodes().size());
    for (profile::NodeId n = 0; n < profile_->nodes().size(); ++n) {
      names.push_back({profile_->node_name(n), n});
    }
    SortByName(names);
    by_name_.reserve(names.size());
    for (const NamedId& name : names) by_name_.push_back(name.id);
  }
  return by_name_;
}

const std::vector<uint32_t>& ViewContext::Accounted(
    const RegexPatterns& patterns) {
  const profile::TypeSets& sets = profile_->graph().type_sets;
  if (accounted_.size() == sets.size() && accounted_patterns_ == patterns) {
    return accounted_;
  }
  const RegexList regexes(patterns);
  accounted_patterns_ = patterns;
  accounted_.assign(sets.size(), regexes.matches_all() ? 1 : 0);
  if (regexes.matches_all()) return accounted_;
  // By type, whether the pattern matches it; 2 if this is still unknown. Each
  // type is matched once.
  std::vector<uint8_t> matches(profile_->strings().size(), 2);
  for (size_t i = 0; i < regexes.size(); ++i) {
    std::fill(matches.begin(), matches.end(), 2);
    for (profile::TypeSetId set = 0; set < sets.size(); ++set) {
      for (const profile::StringId type : sets[set]) {
        if (matches[type] == 2) {
          matches[type] = regexes.Matches(i, profile_->strings().Get(type));
        }
        if (matches[type] == 1) {
          ++accounted_[set];
          break;
        }
      }
    }
  }
  return accounted_;
}

uint32_t CountMatches(const RegexPatterns& patterns, std::string_view type) {
  const RegexList regexes(patterns);
  if (regexes.matches_all()) return 1;
  uint32_t count = 0;
  for (size_t i = 0; i < regexes.size(); ++i) {
    count += regexes.Matches(i, type);
  }
  return count;
}

}  // namespace tfprof::views
