// The small model of the reference's own tests, built by hand: two
// convolutions, three variables with their initializers, and one step on a GPU.
// The reference's tests expect the same numbers (spec 17.1).

#ifndef TFPROF_ACCOUNTING_SMALL_MODEL_TESTING_H_
#define TFPROF_ACCOUNTING_SMALL_MODEL_TESTING_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "profile/graph_testing.h"
#include "profile/profile.h"
#include "profile/profile_builder.h"

namespace tfprof::accounting {

inline profile::Profile SmallModel() {
  profile::ProfileBuilder builder(TfprofRules());
  profile::GraphTables& graph = builder.mutable_graph();
  profile::AddNodeWithInputs(builder, "zeros", "Const", {}, {2, 6, 6, 3});

  const auto add_variable = [&](const std::string& name,
                                std::initializer_list<int64_t> shape,
                                int64_t rank) {
    const std::string init = name + "/Initializer/random_normal";
    profile::AddNodeWithInputs(builder, init + "/shape", "Const", {}, {rank});
    profile::AddNodeWithInputs(builder, init + "/mean", "Const", {}, {1});
    profile::AddNodeWithInputs(builder, init + "/stddev", "Const", {}, {1});
    profile::AddNodeWithInputs(builder, init + "/RandomStandardNormal",
                               "RandomStandardNormal", {init + "/shape"},
                               shape);
    profile::AddNodeWithInputs(
        builder, init + "/mul", "Mul",
        {init + "/RandomStandardNormal", init + "/stddev"}, shape);
    profile::AddNodeWithInputs(builder, init, "Add",
                               {init + "/mul", init + "/mean"}, shape);
    const profile::NodeId variable =
        profile::AddNodeWithInputs(builder, name, "VariableV2", {}, shape);
    graph.nodes.parameter_shape[variable] =
        graph.shapes.Intern(std::vector(shape));
    builder.AddType(variable, graph.strings.Intern("_trainable_variables"));
    profile::AddNodeWithInputs(builder, name + "/Assign", "Assign",
                               {name, init}, shape);
    profile::AddNodeWithInputs(builder, name + "/read", "Identity", {name},
                               shape);
  };
  add_variable("ScalarW", {1}, 0);
  add_variable("DW", {3, 3, 3, 6}, 4);
  add_variable("DW2", {2, 2, 6, 12}, 4);
  builder.SetFloatOps(
      profile::AddNodeWithInputs(builder, "Conv2D", "Conv2D",
                                 {"zeros", "DW/read"}, {2, 3, 3, 6}),
      5832);
  builder.SetFloatOps(
      profile::AddNodeWithInputs(builder, "Conv2D_1", "Conv2D",
                                 {"Conv2D", "DW2/read"}, {2, 2, 2, 12}),
      4608);
  profile::AddNodeWithInputs(builder, "init", "NoOp",
                             {"ScalarW/Assign", "DW/Assign", "DW2/Assign"}, {});
  builder.AddNode("_retval_Conv2D_1_0_0", "_retval_Conv2D_1_0_0",
                  profile::kNoRecord);

  const std::string task = "/job:localhost/replica:0/task:0";
  const profile::ProcessId process = graph.lanes.InternProcess(task);
  const auto lane = [&](const std::string& name, const profile::Device& device,
                        profile::LaneKind kind) {
    const char* label = device.on_cpu ? "cpu:0" : "gpu:0";
    const profile::PhysicalId physical =
        graph.lanes.InternPhysical(process, label, task + "/" + label);
    graph.lanes.mutable_physical(physical).kind = device.on_cpu ? "cpu" : "gpu";
    return graph.lanes.Add({.process = process,
                            .kind = kind,
                            .device = graph.devices.Intern(name, device),
                            .physical = physical,
                            .calls_nest = false});
  };
  const profile::LaneId gpu =
      lane(task + "/gpu:0", {.canonical = true, .on_gpu = true},
           profile::LaneKind::kLaunches);
  const profile::LaneId stream = lane(
      task + "/gpu:0/stream:all", {.accelerator_stream = true, .on_gpu = true},
      profile::LaneKind::kKernels);
  const profile::LaneId cpu =
      lane(task + "/cpu:0", {.canonical = true, .on_cpu = true},
           profile::LaneKind::kCompute);
  const auto id = [&](std::string_view name) {
    return graph.nodes.Find(graph.strings.Find(name));
  };
  const auto ran = [&](std::string_view name, profile::LaneId lane,
                       int64_t start, int64_t duration) {
    return profile::ExecutionRecord{
        .node = id(name), .lane = lane, .start = start, .duration = duration};
  };
  const auto used = [](profile::ExecutionRecord record, int64_t requested,
                       int64_t peak, int64_t residual, int64_t output) {
    record.requested_bytes = requested;
    record.peak_bytes = peak;
    record.residual_bytes = residual;
    record.output_bytes = output;
    return record;
  };
  builder.AddExecutions(
      0,
      {used(ran("DW", gpu, 1000, 2), 1280, 1280, 1280, 1280),
       used(ran("DW2", gpu, 1001, 11), 1280, 1280, 1280, 1280),
       used(ran("zeros", gpu, 1012, 2), 0, 0, 0, 1024),
       used(ran("Conv2D", gpu, 1014, 4066), 18176, 14592, 768, 768),
       ran("Conv2D", stream, 5000, 226),
       used(ran("Conv2D_1", gpu, 5080, 419), 9728, 8704, 512, 512),
       ran("Conv2D_1", stream, 5500, 178),
       ran("_retval_Conv2D_1_0_0", cpu, 5700, 41)},
      {});
  return std::move(builder).Build();
}

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_SMALL_MODEL_TESTING_H_
