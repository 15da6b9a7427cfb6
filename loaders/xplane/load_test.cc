#include "loaders/xplane/load.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/self_time_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/xplane/xplane_testing.h"
#include "profile/attr_value.h"
#include "profile/steps/step.h"

namespace tfprof::xplane {
namespace {

constexpr int64_t kMicro = 1'000'000;  // picoseconds

using Files = std::vector<std::string>;

// The profile of some files, and the log of the load.
struct LoadedXPlane {
  explicit LoadedXPlane(Files files) {
    loaders::LoadContext context;
    context.builder.SetRules(accounting::SelfTimeRules());
    std::vector<loaders::FormatFile> inputs;
    for (std::string& bytes : files) {
      loaders::FormatFile& file = inputs.emplace_back();
      file.path = "host";
      file.path += std::to_string(inputs.size());
      file.path += ".xplane.pb";
      file.file = loaders::InputFile::FromBytes(file.path, std::move(bytes));
    }
    EXPECT_TRUE(LoadXPlanes(inputs, context).ok());
    log = std::move(context.log);
    profile = std::move(context.builder).Build();
  }
  explicit LoadedXPlane(const XPlaneMaker& plane)
      : LoadedXPlane(Files{XSpaceOf({plane.Bytes()})}) {}

  profile::NodeId Node(std::string_view name) const {
    const std::vector<profile::NodeId> nodes =
        profile.NodesNamed(profile.strings().Find(name));
    return nodes.empty() ? profile::kNone : nodes[0];
  }
  // Returns the sums of a node in a step; empty if it did not run there.
  profile::GroupSums Sums(std::string_view name, int64_t step) const {
    for (const auto& s : profile.steps()) {
      if (s->id != step) continue;
      const uint32_t group = s->FindGroup(Node(name));
      if (group != profile::kNone) return s->sums.Of(group);
    }
    return {};
  }
  std::string_view OpOf(std::string_view name) const {
    return profile.strings().Get(profile.nodes().op[Node(name)]);
  }
  profile::RecordRef FirstRecord(std::string_view name, int64_t step) const {
    const profile::Step* s = profile.FindStep(step);
    return static_cast<profile::RecordRef>(
        s->exec_record[s->exec_begin(s->FindGroup(Node(name)))]);
  }
  bool Has(std::string_view kind) const {
    for (const loaders::ImportLog::Entry& entry : log.entries()) {
      if (entry.kind == kind) return true;
    }
    return false;
  }

  loaders::ImportLog log;
  profile::Profile profile;
};

TEST(LoadXPlanesTest, TfOpsHaveTheTimeInThemselves) {
  XPlaneMaker plane("/host:CPU");
  plane.Metadata("net/a:MatMul", "MatMul");
  plane.Metadata("net/b:Add", "Add");
  plane.Line(
      "tf_Compute/7", 50,
      {plane.Event("net/a:MatMul", 10, 100), plane.Event("net/b:Add", 20, 30),
       plane.Event("end: x", 60, 5), plane.Event("net/a:MatMul", 200, 1)});
  const LoadedXPlane loaded(plane);
  EXPECT_FALSE(loaded.log.damaged());
  EXPECT_EQ(loaded.profile.ticks_per_micro(), kMicro);
  EXPECT_EQ(loaded.OpOf("net/a"), "MatMul");
  EXPECT_EQ(loaded.Sums("net/a", 0).cpu_time, 66);
  EXPECT_EQ(loaded.Sums("net/a", 0).run_count, 2);
  EXPECT_EQ(loaded.Sums("net/b", 0).cpu_time, 30);
  EXPECT_EQ(loaded.Sums("net/b", 0).accelerator_time, 0);
  EXPECT_TRUE(loaded.Has("mark of the tracer hidden"));
  EXPECT_EQ(loaded.profile.nodes().size(), 2u);
}

TEST(LoadXPlanesTest, StepsAreRangesWithANumber) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("python", 0,
             {plane.Event("before", 0, 5),
              plane.Event("train", 10, 100, {plane.Int("step_num", 4)}),
              plane.Event("train", 200, 100, {plane.Int("step_num", 5)})});
  plane.Line("worker", 0,
             {plane.Event("work", 50, 10), plane.Event("work", 250, 20)});
  const LoadedXPlane loaded(plane);
  EXPECT_EQ(loaded.Sums("work", 4).cpu_time, 10);
  EXPECT_EQ(loaded.Sums("work", 5).cpu_time, 20);
  EXPECT_EQ(loaded.Sums("before", profile::kOutsideSteps).cpu_time, 5);
  EXPECT_EQ(loaded.profile.step_intervals().size(), 2u);
  EXPECT_EQ(loaded.profile.FindStep(profile::kOutsideSteps), nullptr);
}

TEST(LoadXPlanesTest, ANegativeNumberIsNoStep) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("python", 0,
             {plane.Event("train", 10, 100, {plane.Int("step_num", -1)})});
  const LoadedXPlane loaded(plane);
  EXPECT_TRUE(loaded.Has("step with a negative number"));
  EXPECT_EQ(loaded.Sums("train", 0).cpu_time, 100);
}

TEST(LoadXPlanesTest, TheGroupOfAStepIsInIt) {
  XPlaneMaker plane("/host:CPU");
  plane.Line(
      "python", 0,
      {plane.Event("train", 10, 100,
                   {plane.Int("step_num", 4), plane.Int("group_id", 9)})});
  plane.Line("worker", 0,
             {plane.Event("late", 500, 10, {plane.Int("group_id", 9)}),
              plane.Event("other", 600, 10, {plane.Int("group_id", 8)})});
  const LoadedXPlane loaded(plane);
  EXPECT_EQ(loaded.Sums("late", 4).cpu_time, 10);
  EXPECT_EQ(loaded.Sums("other", profile::kOutsideSteps).cpu_time, 10);
}

// Makes a GPU that ran two kernels for one op, and a copy.
std::string GpuSpace() {
  XPlaneMaker host("/host:CPU");
  host.Metadata("net/a:MatMul", "MatMul");
  host.Line(
      "python", 0,
      {host.Event("train", 0, 100, {host.Int("step_num", 1)}),
       host.Event("net/a:MatMul", 10, 50),
       host.Event("cuLaunchKernel", 20, 5, {host.Uint("correlation_id", 77)})});
  XPlaneMaker gpu("/device:GPU:3");
  gpu.PlaneStat(gpu.Text("device_vendor", "Nvidia"));
  const auto kernel = [&](std::string_view name, int64_t at,
                          std::string_view annotation) {
    return gpu.Event(
        name, at, 30,
        {gpu.Uint("correlation_id", 77), gpu.Ref("annotation", annotation),
         gpu.Ref("kernel_details", "regs:38 grid:1,1,1")});
  };
  gpu.Line("Stream #7(Compute)", 0,
           {kernel("gemm", 500, "net/a:MatMul#shape=(f[2])#"),
            kernel("gemm", 600, "net/a:MatMul"), kernel("odd", 700, "x")});
  gpu.Line("Stream #8(MemcpyH2D)", 0,
           {gpu.Event("MemcpyH2D", 400, 9,
                      {gpu.Text("memcpy_details", "size:64 dest:3 async:1"),
                       gpu.Text("edge_name", "e")})});
  gpu.Line("TensorFlow Ops", 0, {gpu.Event("net/a:MatMul", 500, 60)});
  return XSpaceOf({host.Bytes(), gpu.Bytes()});
}

TEST(LoadXPlanesTest, KernelsAreTimeOfTheOpThatLaunchedThem) {
  const LoadedXPlane loaded(Files{GpuSpace()});
  // The kernels are in the step of the launch.
  EXPECT_EQ(loaded.Sums("net/a", 1).accelerator_time, 60);
  EXPECT_EQ(loaded.Sums("net/a", 1).run_count, 1);
  EXPECT_EQ(loaded.Sums("net/a", 1).cpu_time, 45);
  EXPECT_EQ(loaded.Sums("odd", 1).accelerator_time, 30);
  EXPECT_EQ(loaded.profile.links().size(), 3u);
  EXPECT_EQ(loaded.profile.links()[0].kind, profile::LinkKind::kLaunch);
  EXPECT_TRUE(
      loaded.Has("line that the recorder derived from others left out"));
}

// Two steps of 10 us on the host, each with a launch of 50 us.
TEST(LoadXPlanesTest, StepsAreThoseOfDevicesBehindTheHost) {
  XPlaneMaker host("/host:CPU");
  XPlaneMaker gpu("/device:GPU:0");
  std::vector<std::string> ranges, kernels;
  for (int64_t s = 0; s < 2; ++s) {
    const auto id = static_cast<uint64_t>(s);
    ranges.push_back(host.Event("train", 10 * s * kMicro, 10 * kMicro,
                                {host.Int("step_num", s)}));
    ranges.push_back(host.Event("cuLaunchKernel", (10 * s + 1) * kMicro, kMicro,
                                {host.Uint("correlation_id", id)}));
    kernels.push_back(gpu.Event("gemm", (20 + 50 * s) * kMicro, 50 * kMicro,
                                {gpu.Uint("correlation_id", id),
                                 gpu.Ref("kernel_details", "regs:38")}));
  }
  host.Line("python", 0, ranges);
  gpu.Line("Stream #7(Compute)", 0, kernels);
  const LoadedXPlane loaded(Files{XSpaceOf({host.Bytes(), gpu.Bytes()})});
  EXPECT_TRUE(loaded.Has("host ahead of its devices"));
  const profile::StepIntervals& steps = loaded.profile.step_intervals();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].start, 0);
  EXPECT_EQ(steps[0].end, 70'000);
  EXPECT_EQ(steps[1].end, 120'000);
  EXPECT_EQ(loaded.Sums("gemm", 1).accelerator_time, 50 * kMicro);
  // The range of the host is no work, and no operation.
  const profile::Step* step = loaded.profile.FindStep(1);
  const profile::NodeId train = loaded.Node("train");
  const profile::LaneId lane =
      step->LaneOf(step->exec_begin(step->FindGroup(train)));
  EXPECT_EQ(loaded.profile.lanes()[lane].kind, profile::LaneKind::kAnnotation);
  const profile::ScopeId scope = loaded.profile.nodes().scope[train];
  EXPECT_EQ(loaded.profile.graph().scopes[scope].name,
            loaded.profile.nodes().op[train]);
}

TEST(LoadXPlanesTest, ACallThatTracesItsFunctionIsAnotherOperation) {
  XPlaneMaker plane("/host:CPU");
  plane.Line(
      "python", 0,
      {plane.Event("f", 0, 90,
                   {plane.Ref("tf_function_call", "traced-nonXla")}),
       plane.Event("f", 100, 5,
                   {plane.Ref("tf_function_call", "notTraced-nonXla")})});
  const LoadedXPlane loaded(plane);
  std::vector<std::string_view> ops;
  for (const profile::StringId op : loaded.profile.nodes().op) {
    ops.push_back(loaded.profile.strings().Get(op));
  }
  EXPECT_THAT(ops, ::testing::UnorderedElementsAre("f", "f (tracing)"));
}

TEST(LoadXPlanesTest, SeveralKernelsAreOneRunOfTheirInstruction) {
  XPlaneMaker gpu("/device:GPU:0");
  const auto kernel = [&](std::string_view name, int64_t at,
                          std::string_view instruction) {
    return gpu.Event(
        name, at, 30,
        {gpu.Ref("hlo_op", instruction), gpu.Ref("hlo_module", "jit_step"),
         gpu.Int("program_id", 7)});
  };
  gpu.Line(
      "Stream #2", 0,
      {kernel("fill", 0, "attention"), kernel("fill", 100, "attention"),
       kernel("product", 200, "attention"), kernel("gemm", 300, "dot"),
       kernel("gemm", 400, "dot"), kernel("fill", 500, "attention"),
       kernel("fill", 600, "attention"), kernel("product", 700, "attention")});
  const LoadedXPlane loaded(gpu);
  EXPECT_EQ(loaded.Sums("attention", 0).run_count, 2);
  EXPECT_EQ(loaded.Sums("attention", 0).accelerator_time, 180);
  EXPECT_EQ(loaded.Sums("dot", 0).run_count, 2);
  const profile::NodeTable& nodes = loaded.profile.nodes();
  EXPECT_TRUE(nodes.HasSameTexts(loaded.Node("dot")));
  EXPECT_FALSE(nodes.HasSameTexts(loaded.Node("attention")));
}

TEST(LoadXPlanesTest, CopiesBelongToNoNode) {
  const LoadedXPlane loaded(Files{GpuSpace()});
  EXPECT_EQ(loaded.Node("MemcpyH2D"), profile::kNone);
  const profile::Profile& profile = loaded.profile;
  const profile::Step* outside = nullptr;
  for (const auto& step : profile.steps()) {
    if (step->num_outside() > 0) outside = step.get();
  }
  ASSERT_NE(outside, nullptr);
  const size_t e = outside->num_executions();
  EXPECT_EQ(profile.strings().Get(outside->OutsideName(e)), "MemcpyH2D");
  const profile::Lane& lane = profile.lanes()[outside->LaneOf(e)];
  EXPECT_EQ(lane.kind, profile::LaneKind::kCopies);
  EXPECT_EQ(lane.copies, profile::CopyKind::kToDevice);
  EXPECT_EQ(lane.stream, 8);
  const profile::Transfer transfer = profile.TransferOf(
      static_cast<profile::RecordRef>(outside->exec_record[e]));
  EXPECT_EQ(transfer.bytes, 64);
  EXPECT_EQ(transfer.tensor, "e");
  EXPECT_EQ(transfer.kind, profile::CopyKind::kToDevice);
}

TEST(LoadXPlanesTest, DevicesSayWhatTheyAre) {
  const LoadedXPlane loaded(Files{GpuSpace()});
  const profile::LaneTable& lanes = loaded.profile.lanes();
  ASSERT_EQ(lanes.num_physical(), 2u);
  EXPECT_EQ(lanes.physical(0).label, "gpu:3");
  EXPECT_EQ(lanes.physical(0).kind, "gpu");
  EXPECT_EQ(lanes.physical(0).model, "Nvidia GPU");
  EXPECT_EQ(lanes.physical(1).label, "cpu:0");
  EXPECT_EQ(lanes.process(0).host, "vm");
}

TEST(LoadXPlanesTest, ArgumentsAreThoseOfTheEvent) {
  const LoadedXPlane loaded(Files{GpuSpace()});
  const profile::RecordRef record = loaded.FirstRecord("odd", 1);
  EXPECT_EQ(loaded.profile.Text(record).name, "odd");
  const profile::ArgumentList arguments = loaded.profile.Arguments(record);
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_EQ(arguments[0],
            (std::pair<std::string, std::string>("correlation_id", "77")));
  EXPECT_EQ(arguments[2].second, "regs:38 grid:1,1,1");
}

// Makes a program "jit_f(7)" with one instruction "dot.1", executed or not.
std::string HloSpace(bool executed) {
  util::WireWriter proto;
  {
    const util::WireMessage module(proto, 1);
    proto.Bytes(1, "jit_f");
    AddComputation(proto, 1,
                   {{.id = 1,
                     .name = "dot.1",
                     .opcode = "dot",
                     .op_name = "jit(f)/mlp/dot_general",
                     .dims = {4, 2}}});
  }
  XPlaneMaker metadata("/host:metadata");
  metadata.Metadata("jit_f(7)", "",
                    {metadata.Bytes("Hlo Proto", proto.bytes())});
  metadata.Event("jit_f(7)", 0, 0);
  XPlaneMaker host("/host:CPU");
  host.Line("worker", 0,
            {host.Event("range", 0, 100),
             executed ? host.Event("dot.1", 10, 40,
                                   {host.Ref("hlo_op", "dot.1"),
                                    host.Ref("hlo_module", "jit_f"),
                                    host.Int("program_id", 7)})
                      : host.Event("other", 10, 40)});
  return XSpaceOf({metadata.Bytes(), host.Bytes()});
}

TEST(LoadXPlanesTest, ExecutedInstructionsJoinTheirProgram) {
  const LoadedXPlane loaded(Files{HloSpace(true)});
  const profile::NodeId n = loaded.Node("dot.1");
  ASSERT_NE(n, profile::kNone);
  EXPECT_EQ(loaded.OpOf("dot.1"), "dot");
  EXPECT_EQ(loaded.Sums("dot.1", 0).cpu_time, 40);
  EXPECT_EQ(loaded.Sums("range", 0).cpu_time, 60);
  EXPECT_FALSE(loaded.Has("no times of HLO instructions"));
  EXPECT_EQ(loaded.profile.module_name(loaded.profile.nodes().ModuleOf(n)),
            "jit_f(7)");
  const profile::AttributeList attributes = loaded.profile.Attributes(n);
  EXPECT_EQ(profile::AttrString(profile::FindAttribute(attributes, "shape")),
            "f32[4,2]");
  EXPECT_EQ(profile::AttrString(profile::FindAttribute(attributes, "op_name")),
            "jit(f)/mlp/dot_general");
}

TEST(LoadXPlanesTest, AProgramWithoutTimesIsANotice) {
  const LoadedXPlane loaded(Files{HloSpace(false)});
  EXPECT_NE(loaded.Node("dot.1"), profile::kNone);
  EXPECT_TRUE(loaded.Has("no times of HLO instructions"));
  EXPECT_FALSE(loaded.log.damaged());
}

TEST(LoadXPlanesTest, ATpuHasItsOwnTimes) {
  XPlaneMaker tpu("/device:TPU:0");
  const std::string_view name = "%copy.1 = f32[5]{0} copy(f32[5]{0} %p)";
  tpu.Metadata(name, "copy.1",
               {tpu.Uint("program_id", 7), tpu.Int("flops", 12),
                tpu.Text("tf_op", "jit(f)/mlp/copy:"),
                tpu.Text("source_stack", "m.py:3:1\nn.py:9:2\n")});
  // On the clock of the host, the second one begins inside the first one.
  const auto op = [&](int64_t at, int64_t device) {
    return tpu.Event(name, at, 100,
                     {tpu.Uint("device_offset_ps", device),
                      tpu.Uint("device_duration_ps", 90)});
  };
  tpu.Line("XLA Ops", 0, {op(0, 0), op(0, 95)});
  tpu.Line("XLA Modules", 0, {tpu.Event("jit_f(7)", 0, 500)});
  tpu.Line("Async XLA Ops", 0,
           {tpu.Event(name, 0, 1000, {tpu.Text("hlo_op", "copy.1")})});
  const LoadedXPlane loaded(tpu);
  EXPECT_EQ(loaded.Sums("copy.1", 0).accelerator_time, 180);
  EXPECT_EQ(loaded.Sums("copy.1", 0).run_count, 2);
  EXPECT_EQ(loaded.OpOf("copy.1"), "copy");
  const profile::NodeTable& nodes = loaded.profile.nodes();
  const profile::NodeId n = loaded.Node("copy.1");
  EXPECT_EQ(nodes.FloatOps(n), 12);
  EXPECT_EQ(loaded.profile.graph().stacks.Frames(nodes.stack[n]).size(), 2u);
}

TEST(LoadXPlanesTest, ALoopOnATpuHasTheTimeOutsideOfItsOps) {
  XPlaneMaker tpu("/device:TPU:0");
  tpu.Metadata("%while.1 = () while()", "while.1",
               {tpu.Uint("program_id", 7), tpu.Text("tf_op", "jit(f)/while:")});
  tpu.Metadata("%copy.1 = () copy()", "copy.1",
               {tpu.Uint("program_id", 7), tpu.Text("tf_op", "jit(f)/copy:")});
  const auto op = [&](std::string_view name, int64_t at, int64_t duration) {
    return tpu.Event(name, at, duration,
                     {tpu.Uint("device_offset_ps", at),
                      tpu.Uint("device_duration_ps", duration)});
  };
  tpu.Line(
      "XLA Ops", 0,
      {op("%while.1 = () while()", 0, 1000), op("%copy.1 = () copy()", 10, 300),
       op("%copy.1 = () copy()", 400, 100)});
  const LoadedXPlane loaded(tpu);
  EXPECT_EQ(loaded.Sums("while.1", 0).accelerator_time, 600);
  EXPECT_EQ(loaded.Sums("copy.1", 0).accelerator_time, 400);
}

TEST(LoadXPlanesTest, AllocationsAreCountersAndBytesOfTheOp) {
  XPlaneMaker plane("/host:CPU");
  plane.Metadata("net/a:Add", "Add");
  const auto allocation = [&](int64_t at, std::string_view op) {
    return plane.Event(
        "MemoryAllocation", at, 0,
        {plane.Ref("allocator_name", "bfc"), plane.Ref("tf_op", op),
         plane.Int("requested_bytes", 10),
         plane.Int("bytes_allocated", 100 + at)});
  };
  plane.Line("worker", 0,
             {plane.Event("net/a:Add", 0, 10), allocation(5, "net/a"),
              allocation(6, "gone"), allocation(50, "net/a")});
  const LoadedXPlane loaded(plane);
  EXPECT_EQ(loaded.Sums("net/a", 0).requested_bytes, 20);
  EXPECT_EQ(loaded.Sums("net/a", 0).run_count, 1);
  ASSERT_EQ(loaded.profile.counters().size(), 1u);
  EXPECT_EQ(loaded.profile.counters()[0].value.size(), 3u);
  EXPECT_EQ(loaded.profile.counters()[0].value[2], 150);
  EXPECT_TRUE(loaded.Has("allocation of an op that is not in the profile"));
}

// Returns the devices on which `name` ran in step 0, in the order of
// executions.
std::vector<std::string> DevicesOf(const LoadedXPlane& loaded,
                                   std::string_view name) {
  std::vector<std::string> devices;
  const profile::LaneTable& lanes = loaded.profile.lanes();
  const profile::Step* step = loaded.profile.FindStep(0);
  for (size_t g = 0; g < step->num_groups(); ++g) {
    if (static_cast<profile::NodeId>(step->node[g]) != loaded.Node(name))
      continue;
    for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
      devices.push_back(lanes.physical(lanes[step->LaneOf(e)].physical).label);
    }
  }
  return devices;
}

std::string HostOfDevices(const std::vector<std::string>& more_planes = {}) {
  XPlaneMaker host("/host:CPU");
  const auto run = [&](int64_t at, int64_t ordinal) {
    return host.Event(
        "dot.1", at, 10,
        {host.Ref("hlo_op", "dot.1"), host.Ref("hlo_module", "jit_step"),
         host.Int("device_ordinal", ordinal)});
  };
  host.Line("tf_XLAEigen/1", 0,
            {run(0, 0), run(20, 1), host.Event("wait", 40, 10), run(60, 0)});
  host.Line("tf_XLAEigen/2", 0, {run(100, 1), run(120, -1), run(140, 5000)});
  std::vector<std::string> planes = {host.Bytes()};
  planes.insert(planes.end(), more_planes.begin(), more_planes.end());
  return XSpaceOf(planes);
}

TEST(LoadXPlanesTest, DevicesOfOneHostAreToldByTheirOrdinal) {
  const LoadedXPlane loaded(Files{HostOfDevices()});
  EXPECT_THAT(DevicesOf(loaded, "dot.1"),
              testing::UnorderedElementsAre("cpu:0", "cpu:1", "cpu:0", "cpu:1",
                                            "cpu:0", "cpu:0"));
  EXPECT_THAT(DevicesOf(loaded, "wait"), testing::ElementsAre("cpu:0"));
  EXPECT_EQ(loaded.profile.lanes().num_physical(), 2u);
  EXPECT_EQ(loaded.Sums("dot.1", 0).run_count, 6);
  EXPECT_EQ(loaded.Sums("dot.1", 0).cpu_time, 60);
}

TEST(LoadXPlanesTest, BesideAcceleratorsAnOrdinalIsTheirs) {
  XPlaneMaker gpu("/device:GPU:0");
  const LoadedXPlane loaded(Files{HostOfDevices({gpu.Bytes()})});
  for (const std::string& device : DevicesOf(loaded, "dot.1")) {
    EXPECT_EQ(device, "cpu:0");
  }
}

TEST(LoadXPlanesTest, FlowsAreLinks) {
  XPlaneMaker plane("/host:CPU");
  plane.Line(
      "a", 0,
      {plane.Event("send", 0, 1, {plane.Int("_pt", 5), plane.Int("_p", -3)})});
  plane.Line("b", 0,
             {plane.Event("receive", 9, 1,
                          {plane.Int("_ct", 5),
                           plane.Uint("_c", static_cast<uint64_t>(-3))})});
  const LoadedXPlane loaded(plane);
  ASSERT_EQ(loaded.profile.links().size(), 1u);
  EXPECT_EQ(loaded.profile.links()[0].kind, profile::LinkKind::kData);
}

TEST(LoadXPlanesTest, PythonFramesAreStacks) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("python", 0,
             {plane.Event("$train.py:7 step", 0, 100),
              plane.Event("Execute", 10, 20)});
  const LoadedXPlane loaded(plane);
  EXPECT_EQ(loaded.OpOf("train.py:7 step"), "python");
  EXPECT_EQ(loaded.Sums("train.py:7 step", 0).cpu_time, 80);
  const profile::GraphTables& graph = loaded.profile.graph();
  const std::vector<profile::FrameId> frames =
      graph.stacks.Frames(graph.nodes.stack[loaded.Node("Execute")]);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(graph.strings.Get(graph.stacks.frame(frames[0]).file), "train.py");
  EXPECT_EQ(graph.stacks.frame(frames[0]).lineno, 7);
}

std::string HostSpace(int64_t began_ns, int64_t line_ns) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("python", line_ns, {plane.Event("work", 0, 10)});
  XPlaneMaker task("Task Environment");
  if (began_ns > 0) task.PlaneStat(task.Int("profile_start_time", began_ns));
  return XSpaceOf({plane.Bytes(), task.Bytes()});
}

// Returns the starts of "work" in step 0, by execution.
std::vector<int64_t> Starts(const LoadedXPlane& loaded) {
  std::vector<int64_t> starts;
  const profile::Step* step = loaded.profile.FindStep(0);
  for (size_t e = 0; e < step->num_executions(); ++e) {
    starts.push_back(step->exec_start.Ticks(e));
  }
  return starts;
}

TEST(LoadXPlanesTest, HostsWithOneClockAreAligned) {
  const int64_t epoch = 1'800'000'000'000'000'000;
  const LoadedXPlane loaded(
      Files{HostSpace(epoch, 40), HostSpace(epoch + 100, 10)});
  EXPECT_EQ(Starts(loaded), (std::vector<int64_t>{0, 70'000}));
  const profile::LaneTable& lanes = loaded.profile.lanes();
  EXPECT_EQ(lanes.num_processes(), 2u);
  EXPECT_EQ(lanes.process(1).label, "host2");
  EXPECT_EQ(lanes.physical(1).name, "host2 cpu:0");
  EXPECT_EQ(lanes[0].clock, lanes[1].clock);
}

TEST(LoadXPlanesTest, HostsWithoutATimeHaveTheirOwnClocks) {
  const LoadedXPlane loaded(Files{HostSpace(0, 40), HostSpace(0, 10)});
  EXPECT_EQ(Starts(loaded), (std::vector<int64_t>{0, 0}));
  const profile::LaneTable& lanes = loaded.profile.lanes();
  EXPECT_NE(lanes[0].clock, lanes[1].clock);
  EXPECT_TRUE(loaded.Has("files without a common clock"));
}

TEST(LoadXPlanesTest, DamageIsReportedAndTheRestIsKept) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("python", 0,
             {plane.Event("work", 0, 10), XPlaneMaker::EventOfId(99, 0, 1),
              plane.Event("work", 20, -5), "\x22\x7f"});
  const LoadedXPlane loaded(plane);
  EXPECT_EQ(loaded.Sums("work", 0).cpu_time, 10);
  EXPECT_TRUE(loaded.log.damaged());
  EXPECT_TRUE(loaded.Has("event dropped"));
  EXPECT_TRUE(loaded.Has("event without metadata dropped"));
  EXPECT_TRUE(loaded.Has("negative duration"));
}

TEST(LoadXPlanesTest, EachBeginOfAFileLoads) {
  const std::string whole = GpuSpace();
  for (size_t size = 0; size < whole.size(); ++size) {
    const LoadedXPlane loaded(Files{whole.substr(0, size)});
    EXPECT_LE(loaded.profile.nodes().size(), 6u);
  }
}

}  // namespace
}  // namespace tfprof::xplane
