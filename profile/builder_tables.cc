// The part of ProfileBuilder that fills the optional tables, which only some
// formats have.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "profile/profile_builder.h"

namespace tfprof::profile {
namespace {

// Adds the rows of `table`, which may be null, to `rows`, sorts them and
// removes duplicates.
template <typename Table, typename Row>
void Merge(const Table* table, std::vector<Row>& rows) {
  for (size_t i = 0; table != nullptr && i < table->size(); ++i) {
    rows.push_back((*table)[i]);
  }
  const auto not_before = [](const Row& a, const Row& b) { return !(a < b); };
  if (std::adjacent_find(rows.begin(), rows.end(), not_before) == rows.end()) {
    return;  // usually sorted without duplicates already
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

// Returns the group of an execution in a step.
size_t GroupOf(const Step& step, size_t execution) {
  size_t low = 0, high = step.num_groups();
  while (high - low > 1) {
    const size_t mid = (low + high) / 2;
    (step.exec_begin(mid) <= execution ? low : high) = mid;
  }
  return low;
}

}  // namespace

ModuleId ProfileBuilder::AddModule(std::string_view name) {
  GraphTables& graph = mutable_graph();
  return graph.modules.Intern(graph.strings.Intern(name));
}

ScopeId ProfileBuilder::AddScope(ScopeId parent, std::string_view part) {
  if (part.empty()) return parent;
  GraphTables& graph = mutable_graph();
  return graph.scopes.Push(parent, graph.strings.Intern(part));
}

void ProfileBuilder::SetScope(NodeId n, ScopeId scope) {
  NodeTable& nodes = mutable_graph().nodes;
  nodes.scope.resize(nodes.size(), kRootScope);
  nodes.scope[n] = scope;
}

void ProfileBuilder::SetForward(NodeId n, NodeId forward) {
  NodeTable& nodes = mutable_graph().nodes;
  nodes.forward_of.resize(nodes.size(), kNone);
  nodes.forward_of[n] = forward;
}

void ProfileBuilder::AddCounter(Counter counter,
                                std::vector<CounterSample> samples) {
  std::erase_if(samples, [](const CounterSample& sample) {
    return !std::isfinite(sample.value);
  });
  std::stable_sort(samples.begin(), samples.end(),
                   [](const CounterSample& a, const CounterSample& b) {
                     return a.time < b.time;
                   });
  counter.time =
      IntColumn(samples.size(), [&](size_t i) { return samples[i].time; });
  counter.value.clear();
  counter.value.reserve(samples.size());
  for (const CounterSample& sample : samples) {
    counter.value.push_back(sample.value);
  }
  new_counters_.push_back(std::move(counter));
}

void ProfileBuilder::SetKernelCounters(KernelCounters counters) {
  profile_.kernel_counters_ =
      std::make_shared<KernelCounters>(std::move(counters));
}

void ProfileBuilder::SetAllocators(Allocators allocators) {
  profile_.allocators_ = std::make_shared<Allocators>(std::move(allocators));
}

void ProfileBuilder::SetCollectiveRecords(CollectiveRecords records) {
  profile_.collective_records_ =
      std::make_shared<CollectiveRecords>(std::move(records));
}

void ProfileBuilder::SetCompileLogs(CompileLogs logs) {
  profile_.compile_logs_ = std::make_shared<CompileLogs>(std::move(logs));
}

void ProfileBuilder::AddStepInterval(const StepInterval& interval) {
  if (profile_.FindStep(interval.step) == nullptr) AddStep(interval.step);
  new_intervals_.push_back(interval);
}

void ProfileBuilder::AddSortedLinks(Links links) {
  if (profile_.links_ == nullptr && new_links_.empty()) {
    if (links.size() == 0) return;
    profile_.links_ = std::make_shared<Links>(std::move(links));
    return;
  }
  for (size_t i = 0; i < links.size(); ++i) AddLink(links[i]);
}

// Adapts links to a step that got more records. Executions of a node keep their
// order, and new ones follow them; the same holds for records outside of
// groups.
void ProfileBuilder::RenumberLinks(const Step& before, const Step& after) {
  if (profile_.links_ != nullptr) {
    Merge(profile_.links_.get(), new_links_);
    profile_.links_ = nullptr;
  }
  const auto renumber = [&](ExecutionRef& ref) {
    if (ref.step != before.id) return;
    if (ref.index >= before.num_executions()) {
      ref.index += static_cast<uint32_t>(after.num_executions() -
                                         before.num_executions());
      return;
    }
    const size_t old_group = GroupOf(before, ref.index);
    const auto node = static_cast<NodeId>(before.node[old_group]);
    ref.index += static_cast<uint32_t>(after.exec_begin(after.FindGroup(node)) -
                                       before.exec_begin(old_group));
  };
  for (Link& link : new_links_) {
    renumber(link.from);
    renumber(link.to);
  }
}

// Prefixes names that occur in several modules with their module.
void ProfileBuilder::LabelNodes() {
  GraphTables& graph = mutable_graph();
  NodeTable& nodes = graph.nodes;
  nodes.label.clear();
  std::vector<uint8_t> several(graph.strings.size(), 0);
  std::vector<uint8_t> seen(graph.strings.size(), 0);
  bool any = false;
  for (const StringId name : nodes.name) {
    any |= seen[name] != 0;
    (seen[name] != 0 ? several : seen)[name] = 1;
  }
  if (!any) return;
  nodes.label = nodes.name;
  for (NodeId n = 0; n < nodes.size(); ++n) {
    if (nodes.module[n] == kUnnamedModule || !several[nodes.name[n]]) continue;
    std::string label(graph.strings.Get(graph.modules.name(nodes.module[n])));
    label += '/';
    label += graph.strings.Get(nodes.name[n]);
    nodes.label[n] = graph.strings.Intern(label);
  }
}

void ProfileBuilder::FinishTables() {
  if (!shared_graph_ && !graph().nodes.module.empty()) LabelNodes();
  if (!new_links_.empty() ||
      (profile_.links_ != nullptr && dropped_executions_)) {
    Merge(profile_.links_.get(), new_links_);
    const Step* last = nullptr;  // of the last link; the next is often there
    const auto exists = [&](const ExecutionRef& ref) {
      if (last == nullptr || last->id != ref.step) {
        const auto& steps = profile_.steps_;
        const auto step =
            std::lower_bound(steps.begin(), steps.end(), ref.step,
                             [](const std::shared_ptr<const Step>& step,
                                int64_t id) { return step->id < id; });
        if (step == steps.end() || (*step)->id != ref.step) return false;
        last = step->get();
      }
      return ref.index < last->num_records();
    };
    std::erase_if(new_links_, [&](const Link& link) {
      return !exists(link.from) || !exists(link.to);
    });
    profile_.links_ =
        new_links_.empty() ? nullptr : std::make_shared<Links>(new_links_);
    new_links_.clear();
  }
  if (!new_counters_.empty()) {
    Counters all = profile_.counters();
    std::move(new_counters_.begin(), new_counters_.end(),
              std::back_inserter(all));
    profile_.counters_ = std::make_shared<Counters>(std::move(all));
    new_counters_.clear();
  }
  if (!new_intervals_.empty()) {
    Merge(profile_.step_intervals_.get(), new_intervals_);
    profile_.step_intervals_ = std::make_shared<StepIntervals>(new_intervals_);
    new_intervals_.clear();
  }
  if (!new_pipeline_ops_.empty()) {
    Merge(profile_.pipeline_ops_.get(), new_pipeline_ops_);
    profile_.pipeline_ops_ = std::make_shared<PipelineOps>(new_pipeline_ops_);
    new_pipeline_ops_.clear();
  }
  if (!new_phases_.empty()) {
    Merge(profile_.step_phases_.get(), new_phases_);
    profile_.step_phases_ = std::make_shared<StepPhases>(new_phases_);
    new_phases_.clear();
  }
  if (!new_replays_.empty()) {
    Merge(profile_.graph_replays_.get(), new_replays_);
    profile_.graph_replays_ = std::make_shared<GraphReplays>(new_replays_);
    new_replays_.clear();
  }
}

}  // namespace tfprof::profile
