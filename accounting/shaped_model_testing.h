// A small profile of a compiled program, for tests: two modules with operations
// of the same names, scopes whose parts contain brackets and slashes, a node
// that is marked as a gradient, two steps with intervals, launches with their
// kernels, and a counter. It is built by hand, because no loader fills all of
// these tables.
//
//   module    scope                        node         gradient of
//   jit_init                               fusion.1
//   jit_step  jit(step) vmap(a/b)          fusion.1
//   jit_step  jit(step) vmap(a/b)          dot[0]
//   jit_step  jit(step) transpose(jvp)     dot_bwd      dot[0]
//   jit_step                               launch
//
// In jit_step dot[0] reads fusion.1, dot_bwd reads dot[0]. All nodes except
// launch have a call stack. Both steps run each node once, except jit_init's
// fusion.1.

#ifndef TFPROF_ACCOUNTING_SHAPED_MODEL_TESTING_H_
#define TFPROF_ACCOUNTING_SHAPED_MODEL_TESTING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "profile/profile.h"
#include "profile/profile_builder.h"

namespace tfprof::accounting {

// Ids count up in this order.
struct ShapedNodes {
  profile::NodeId init_fusion = 0, fusion = 1, dot = 2, backward = 3,
                  launch = 4;
};

struct ShapedModelParts {
  bool scopes = true;
  bool forward_of = true;
};

// Returns the only execution of a node in a step.
inline profile::ExecutionRef OnlyExecution(const profile::Step& step,
                                           profile::NodeId n) {
  return {step.id, static_cast<uint32_t>(step.exec_begin(step.FindGroup(n)))};
}

inline profile::Profile ShapedModel(const ShapedModelParts& parts = {}) {
  profile::ProfileBuilder builder(TfprofRules());
  profile::GraphTables& graph = builder.mutable_graph();
  const profile::ModuleId init = builder.AddModule("jit_init");
  const profile::ModuleId step = builder.AddModule("jit_step");
  const ShapedNodes nodes;
  builder.AddNode(init, "fusion.1", "fusion", profile::kNoRecord);
  builder.AddNode(step, "fusion.1", "fusion", profile::kNoRecord);
  builder.AddNode(step, "dot[0]", "dot", profile::kNoRecord);
  builder.AddEdge(graph.strings.Intern("fusion.1"), 0, 0, 0);
  builder.AddNode(step, "dot_bwd", "dot", profile::kNoRecord);
  builder.AddEdge(graph.strings.Intern("dot[0]"), 0, 0, 0);
  builder.AddNode(step, "launch", "launch", profile::kNoRecord);
  if (parts.scopes) {
    const profile::ScopeId jit =
        builder.AddScope(profile::kRootScope, "jit(step)");
    const profile::ScopeId vmap = builder.AddScope(jit, "vmap(a/b)");
    builder.SetScope(nodes.fusion, vmap);
    builder.SetScope(nodes.dot, vmap);
    builder.SetScope(nodes.backward, builder.AddScope(jit, "transpose(jvp)"));
  }
  if (parts.forward_of) builder.SetForward(nodes.backward, nodes.dot);

  graph.has_code_traces = true;
  const auto frame = [&](std::string_view function, int32_t line) {
    return graph.stacks.Push(
        profile::kNoStack,
        profile::Frame{.file = graph.strings.Intern("/src/train.py"),
                       .function = graph.strings.Intern(function),
                       .lineno = line});
  };
  graph.nodes.stack[nodes.init_fusion] = frame("init", 3);
  graph.nodes.stack[nodes.fusion] = frame("model", 10);
  graph.nodes.stack[nodes.dot] = frame("model", 11);
  graph.nodes.stack[nodes.backward] = frame("train", 20);

  const profile::ProcessId process = graph.lanes.InternProcess("");
  const profile::LaneId cpu = graph.lanes.Add(
      {.process = process,
       .kind = profile::LaneKind::kCompute,
       .device = graph.devices.Intern("/device:cpu:0",
                                      {.canonical = true, .on_cpu = true}),
       .physical =
           graph.lanes.InternPhysical(process, "cpu:0", "/device:cpu:0")});
  const profile::LaneId gpu = graph.lanes.Add(
      {.process = process,
       .kind = profile::LaneKind::kLaunches,
       .device = graph.devices.Intern("/device:gpu:0",
                                      {.canonical = true, .on_gpu = true}),
       .physical =
           graph.lanes.InternPhysical(process, "gpu:0", "/device:gpu:0")});
  for (const int64_t number : {1, 2}) {
    const int64_t start = 1000 * number;
    const auto ran = [&](profile::NodeId n, profile::LaneId lane, int64_t after,
                         int64_t duration) {
      return profile::ExecutionRecord{.node = n,
                                      .lane = lane,
                                      .start = start + after,
                                      .duration = duration};
    };
    builder.AddExecutions(
        number,
        {ran(nodes.launch, cpu, 0, 10), ran(nodes.fusion, gpu, 20, 100),
         ran(nodes.dot, gpu, 120, 200), ran(nodes.backward, gpu, 320, 400)},
        {});
    builder.AddStepInterval({.step = number,
                             .process = 0,
                             .start = start * 1000,
                             .end = (start + 900) * 1000,
                             .name = graph.strings.Intern("train")});
  }
  builder.FinishSteps({1, 2});
  for (const auto& made : builder.finished_steps()) {
    const profile::ExecutionRef launch = OnlyExecution(*made, nodes.launch);
    const profile::ExecutionRef dot = OnlyExecution(*made, nodes.dot);
    const profile::ExecutionRef backward = OnlyExecution(*made, nodes.backward);
    builder.AddLink({launch, dot, profile::LinkKind::kLaunch});
    builder.AddLink({dot, backward, profile::LinkKind::kGradient});
  }
  // The second step reads a result of the first one.
  builder.AddLink({OnlyExecution(*builder.finished_steps()[0], nodes.backward),
                   OnlyExecution(*builder.finished_steps()[1], nodes.fusion),
                   profile::LinkKind::kData});
  builder.AddCounter({.name = graph.strings.Intern("memory"),
                      .unit = graph.strings.Intern("bytes")},
                     {{2'000'000, 4096}, {1'000'000, 1024}});
  return std::move(builder).Build();
}

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_SHAPED_MODEL_TESTING_H_
