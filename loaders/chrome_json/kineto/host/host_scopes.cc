#include "loaders/chrome_json/kineto/host/host_scopes.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "loaders/chrome_json/kineto/host/open_python_calls.h"
#include "loaders/chrome_json/kineto/host/python_time.h"
#include "loaders/chrome_json/kineto/host/steps.h"

namespace tfprof::kineto {
namespace {

constexpr std::string_view kBackwardPart = "(backward)";
constexpr std::string_view kAutogradPrefix =
    "autograd::engine::evaluate_function: ";

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

// Returns the innermost operator that starts at `time` on a thread, or kNone.
uint32_t OperatorAt(const KinetoEvents& events, const HostTree& tree,
                    uint32_t thread, int64_t time) {
  const std::span<const uint32_t> order = tree.OfThread(thread);
  for (size_t i = FirstAfter(events, order, time); i-- > 0;) {
    const uint32_t e = order[i];
    if (events.host[e].start != time) break;
    if (events.host[e].category != KinetoCategory::kOp) continue;
    return tree.merged[e] ? tree.parent[e] : e;
  }
  return profile::kNone;
}

Pairs GradientsOfFlows(const KinetoEvents& events, const HostTree& tree) {
  absl::flat_hash_map<int64_t, uint32_t> forward;
  for (const KinetoFlowEnd& flow : events.flows) {
    if (!flow.begins) continue;
    const uint32_t e = OperatorAt(events, tree, flow.thread, flow.time);
    if (e != profile::kNone) forward.try_emplace(flow.id, e);
  }
  Pairs pairs;
  for (const KinetoFlowEnd& flow : events.flows) {
    if (flow.begins) continue;
    const auto begin = forward.find(flow.id);
    if (begin == forward.end()) continue;
    const uint32_t e = OperatorAt(events, tree, flow.thread, flow.time);
    if (e != profile::kNone && e != begin->second)
      pairs.emplace_back(begin->second, e);
  }
  return pairs;
}

Pairs GradientsOfNumbers(const KinetoEvents& events, const HostTree& tree) {
  const auto kept = [&](uint32_t e) {
    return tree.merged[e] ? tree.parent[e] : e;
  };
  // The last forward operator with a number is the innermost one.
  absl::flat_hash_map<int64_t, uint32_t> forward;
  for (const SequenceNumber& sequence : events.sequence) {
    if (sequence.backward) continue;
    uint32_t& last =
        forward.try_emplace(sequence.number, sequence.host).first->second;
    const HostEvent& a = events.host[last];
    const HostEvent& b = events.host[sequence.host];
    if (b.start > a.start || (b.start == a.start && b.duration < a.duration)) {
      last = sequence.host;
    }
  }
  // Finds the operator inside autograd's event.
  Pairs pairs;
  for (const SequenceNumber& sequence : events.sequence) {
    if (!sequence.backward) continue;
    const auto begin = forward.find(sequence.number);
    if (begin == forward.end()) continue;
    const uint32_t from = kept(begin->second), to = kept(sequence.host);
    if (from != to && events.host[from].start <= events.host[to].start) {
      pairs.emplace_back(from, to);
    }
  }
  return pairs;
}

class Finder {
 public:
  Finder(const KinetoEvents& events, const HostTree& tree,
         const PythonNames& python, ScopeMaker& scopes)
      : events_(events),
        tree_(tree),
        scopes_(scopes),
        strings_(scopes.builder().graph().strings),
        calls_(python, scopes),
        module_(result_.module) {
    result_.module.assign(events.host.size(), profile::kRootScope);
    result_.scope.assign(events.host.size(), profile::kRootScope);
    result_.stack.assign(events.host.size(), profile::kNoStack);
  }

  HostScopes Run(const Pairs& gradients, std::span<const uint32_t> calls) {
    ReadPython(calls);
    for (const auto& [e, stack] : events_.call_stacks) {
      result_.stack[e] = stack;
    }
    for (const auto& [e, scope] : events_.hierarchies) module_[e] = scope;
    for (const uint32_t e : tree_.order) result_.scope[e] = ScopeOf(e);
    MoveBackward(gradients);
    return std::move(result_);
  }

 private:
  // Goes through the calls and the events of each thread in the order of time.
  void ReadPython(std::span<const uint32_t> order) {
    for (size_t i = 0; i < order.size();) {
      const uint32_t thread = events_.python[order[i]].thread;
      calls_.Clear();
      const auto in_thread = [&] {
        return i < order.size() && events_.python[order[i]].thread == thread;
      };
      for (const uint32_t e : tree_.OfThread(thread)) {
        const HostEvent& host = events_.host[e];
        if (host.async) continue;
        while (in_thread() && events_.python[order[i]].start <= host.start) {
          calls_.Open(events_.python[order[i++]]);
        }
        const size_t call = calls_.Innermost(host.start, host.end());
        if (call == OpenCalls::kNowhere) continue;
        result_.stack[e] = calls_.StackOf(call);
        module_[e] = calls_.ModuleOf(call);
      }
      while (in_thread()) ++i;
    }
  }

  // The caller visits parents first.
  profile::ScopeId ScopeOf(uint32_t e) {
    const HostEvent& event = events_.host[e];
    const uint32_t parent = tree_.parent[e];
    profile::ScopeId scope = module_[e];
    if (parent != profile::kNone) {
      // The innermost module of the parent also contains this event.
      if (scope == module_[parent] || scope == profile::kRootScope) {
        scope = result_.scope[parent];
        if (module_[e] == profile::kRootScope) module_[e] = module_[parent];
      }
    }
    return IsNamedRange(event) ? scopes_.Push(scope, event.name) : scope;
  }

  bool IsNamedRange(const HostEvent& event) const {
    return event.is_range && StepRow(strings_.Get(event.name)).empty();
  }

  void MoveBackward(const Pairs& gradients) {
    std::vector<profile::ScopeId> moved(events_.host.size(), profile::kNone);
    const profile::StringId part =
        scopes_.builder().mutable_graph().strings.Intern(kBackwardPart);
    for (const auto& [forward, backward] : gradients) {
      if (module_[forward] == profile::kRootScope &&
          result_.scope[backward] != profile::kRootScope) {
        continue;
      }
      const profile::ScopeId scope = scopes_.Push(result_.scope[forward], part);
      if (moved[backward] == profile::kNone) moved[backward] = scope;
      const uint32_t parent = tree_.parent[backward];
      if (parent != profile::kNone && moved[parent] == profile::kNone &&
          strings_.Get(events_.host[parent].name)
              .starts_with(kAutogradPrefix)) {
        moved[parent] = scope;
      }
    }
    for (const uint32_t e : tree_.order) {
      const uint32_t parent = tree_.parent[e];
      if (moved[e] == profile::kNone && parent != profile::kNone &&
          moved[parent] != profile::kNone && module_[e] == module_[parent]) {
        moved[e] = IsNamedRange(events_.host[e])
                       ? scopes_.Push(moved[parent], events_.host[e].name)
                       : moved[parent];
      }
      if (moved[e] != profile::kNone) result_.scope[e] = moved[e];
    }
  }

  const KinetoEvents& events_;
  const HostTree& tree_;
  ScopeMaker& scopes_;
  const profile::StringPool& strings_;
  OpenCalls calls_;
  HostScopes result_;
  std::vector<profile::ScopeId>& module_;
};

}  // namespace

Pairs FindGradients(const KinetoEvents& events, const HostTree& tree) {
  Pairs pairs = GradientsOfFlows(events, tree);
  if (pairs.empty()) pairs = GradientsOfNumbers(events, tree);
  std::vector<bool> seen(events.host.size());
  std::erase_if(pairs, [&](const std::pair<uint32_t, uint32_t>& pair) {
    const bool again = seen[pair.second];
    seen[pair.second] = true;
    return again;
  });
  return pairs;
}

HostScopes FindHostScopes(const KinetoEvents& events, const HostTree& tree,
                          const Pairs& gradients,
                          std::span<const uint32_t> calls,
                          const PythonNames& python, ScopeMaker& scopes) {
  return Finder(events, tree, python, scopes).Run(gradients, calls);
}

}  // namespace tfprof::kineto
