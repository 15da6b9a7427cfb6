#include "loaders/memory_snapshot/snapshot_nodes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/allocator_levels.h"
#include "loaders/nodes/trace_nodes.h"
#include "loaders/pprof/function_scope.h"
#include "profile/steps/time_column.h"
#include "util/arithmetic.h"

namespace tfprof::memory_snapshot {
namespace {

using profile::AllocatorBlock;
using profile::AllocatorEvent;
using profile::AllocatorHistory;

constexpr std::string_view kNoStackName = "<no call stack>";

// The sums of each stack and operator.
using OwnerKey = std::pair<profile::StackId, profile::StringId>;
using SumsByOwner = std::map<OwnerKey, profile::GroupSums>;

SumsByOwner SumsOf(const AllocatorHistory& history) {
  SumsByOwner sums;
  const auto add = [](int64_t bytes, int64_t& sum) {
    sum = util::SaturatingAdd(sum, bytes);
  };
  for (const AllocatorEvent& event : history.events) {
    if (event.kind != AllocatorEvent::Kind::kAllocate) continue;
    profile::GroupSums& of_owner = sums[{event.stack, event.op}];
    ++of_owner.run_count;
    add(event.bytes, of_owner.requested_bytes);
    if (event.pair == profile::kNone) add(event.bytes, of_owner.residual_bytes);
  }
  for (const AllocatorBlock& block : history.blocks) {
    if (block.seen || block.state == AllocatorBlock::State::kFree) continue;
    profile::GroupSums& of_owner = sums[{block.stack, block.op}];
    ++of_owner.run_count;
    add(block.requested, of_owner.requested_bytes);
    add(block.requested, of_owner.residual_bytes);
  }
  for (const accounting::HeldMemory& held :
       accounting::HeldAtPeak(history, accounting::LevelsOf(history))) {
    add(held.bytes, sums[{held.stack, held.op}].peak_bytes);
  }
  return sums;
}

class Maker {
 public:
  explicit Maker(loaders::LoadContext& context)
      : builder_(context.builder), nodes_(context.builder) {}

  void Add(const AllocatorHistory& history) {
    profile::GraphTables& graph = builder_.mutable_graph();
    const profile::ProcessId process = graph.lanes.InternProcess("");
    const profile::LaneId lane = graph.lanes.Add(
        {.process = process,
         .name = graph.strings.Intern(history.name + " allocations"),
         .kind = profile::LaneKind::kCompute,
         .physical =
             graph.lanes.InternPhysical(process, history.name, history.name)});
    for (auto& [owner, sums] : SumsOf(history)) {
      const profile::NodeId node = NodeOf(owner);
      records_.push_back({.node = node,
                          .lane = lane,
                          .requested_bytes = sums.requested_bytes,
                          .peak_bytes = sums.peak_bytes,
                          .residual_bytes = sums.residual_bytes});
      profile::GroupSums& of_node = sums_[node];
      of_node.node = node;
      of_node.Add(sums);
    }
  }

  void Finish() {
    std::vector<profile::GroupSums> sums;
    sums.reserve(sums_.size());
    for (const auto& [node, of_node] : sums_) sums.push_back(of_node);
    std::stable_sort(
        records_.begin(), records_.end(),
        [](const profile::ExecutionRecord& a,
           const profile::ExecutionRecord& b) { return a.node < b.node; });
    builder_.AddStep(0);
    builder_.AddGroups(0, std::move(sums), std::move(records_),
                       profile::kNanosPerMicro);
    builder_.FinishStep(0);
  }

 private:
  profile::NodeId NodeOf(OwnerKey owner) {
    auto [stack, op] = owner;
    profile::GraphTables& graph = builder_.mutable_graph();
    if (stack == profile::kNoStack) {
      stack = graph.stacks.Push(
          profile::kNoStack,
          profile::Frame{.function = graph.strings.Intern(kNoStackName)});
    }
    const auto text = [&](profile::StringId id) {
      return id == profile::kNone ? std::string_view() : graph.strings.Get(id);
    };
    const auto frame_of = [&](profile::StackId s) -> const profile::Frame& {
      return graph.stacks.frame(graph.stacks[s].frame);
    };
    profile::StackId named = stack;
    while (accounting::IsAllocatorFunction(text(frame_of(named).function)) &&
           graph.stacks[named].parent != profile::kNoStack) {
      named = graph.stacks[named].parent;
    }
    const profile::Frame& frame = frame_of(named);
    const std::string_view function = text(frame.function);
    profile::ScopeId scope = profile::kRootScope;
    for (const std::string_view part :
         pprof::ScopeOfFunction(function, text(frame.file))) {
      scope = nodes_.Scope(scope, part);
    }
    return nodes_.Node(scope, op == profile::kNone ? function : text(op),
                       stack);
  }

  profile::ProfileBuilder& builder_;
  loaders::TraceNodes nodes_;
  std::map<profile::NodeId, profile::GroupSums> sums_;
  std::vector<profile::ExecutionRecord> records_;
};

}  // namespace

void AddSnapshotNodes(const profile::Allocators& allocators,
                      loaders::LoadContext& context) {
  context.builder.mutable_graph().has_code_traces = true;
  Maker maker(context);
  for (const AllocatorHistory& history : allocators) maker.Add(history);
  maker.Finish();
}

}  // namespace tfprof::memory_snapshot
