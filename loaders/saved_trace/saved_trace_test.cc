#include "loaders/saved_trace/saved_trace.h"

#include <string>
#include <utility>

#include "accounting/shaped_model_testing.h"
#include "exporters/formats/saved_trace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "loaders/core/saved_counters.h"
#include "loaders/onnx/onnx_testing.h"
#include "loaders/saved_trace/fields.h"
#include "util/files/wire_writer.h"

namespace tfprof::saved_trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kChrome[] = R"js([
  {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},
  {"ph":"M","pid":1,"tid":2,"name":"thread_name",
   "args":{"name":"Stream #13(MemcpyH2D)"
}
},
  {"ph":"X","pid":1,"tid":2,"ts":12.5,"dur":3,"name":"copy",
   "args":{"size":"8"}},
  {"ph":"X","pid":3,"tid":1,"ts":0,"dur":10,"name":"train (/t.py:3)",
   "args":{"step_num":"4"}},
  {"ph":"X","pid":3,"tid":1,"ts":2,"dur":4.125,"name":"f (/f.py:4)"},
  {"ph":"s","id":1,"pid":3,"tid":1,"ts":3,"name":"x"},
  {"ph":"f","id":1,"pid":1,"tid":2,"ts":12.5,"bp":"e","name":"x"},
  {"ph":"C","pid":3,"ts":3,"name":"n","args":{"a":7,"b":0.5}},
  {"ph":"i","pid":3,"tid":1,"ts":3,"s":"t","name":"now"}])js";

class SavedTraceTest : public loaders::FolderTest {
 protected:
  static std::string SavedTrace(const profile::Profile& profile) {
    util::StringSink sink;
    EXPECT_TRUE(exporters::WriteSavedTrace(profile, sink).ok());
    return sink.text();
  }
  absl::StatusOr<loaders::Loaded> Reopen(const std::string& bytes) {
    return loaders::LoadFiles({Write("saved", bytes)});
  }
};

TEST_F(SavedTraceTest, NothingIsLost) {
  const auto loaded = loaders::LoadFiles({Write("trace.json", kChrome)});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const std::string saved = SavedTrace(loaded->profile);
  const auto reopened = Reopen(saved);
  ASSERT_TRUE(reopened.ok()) << reopened.status();
  EXPECT_EQ(reopened->sources[0].format, "saved trace");
  EXPECT_EQ(SavedTrace(reopened->profile), saved);

  const profile::Profile& profile = reopened->profile;
  EXPECT_EQ(profile.ticks_per_micro(), 1000);
  EXPECT_TRUE(profile.graph().self_times);
  EXPECT_TRUE(profile.graph().has_code_traces);
  EXPECT_THAT(Steps(*reopened), ElementsAre(profile::kOutsideSteps, 4));
  EXPECT_EQ(profile.links().size(), 1u);
  EXPECT_EQ(profile.counters().size(), 2u);
  EXPECT_EQ(profile.step_intervals().size(), 1u);
  EXPECT_EQ(profile.FindStep(4)->num_outside(), 1u);
  const profile::Step& outside = *profile.steps()[0];
  ASSERT_EQ(outside.num_executions(), 1u);
  const auto record = static_cast<profile::RecordRef>(outside.exec_record[0]);
  EXPECT_EQ(profile.Text(record).name, "copy");
  EXPECT_THAT(profile.Arguments(record), ElementsAre(Pair("size", "8")));
  EXPECT_EQ(profile.lanes()[outside.LaneOf(0)].kind,
            profile::LaneKind::kCopies);
  EXPECT_EQ(outside.sums.accelerator_time[0], 3000);
}

TEST_F(SavedTraceTest, StepsOfAnInferenceEngine) {
  const auto loaded = loaders::LoadFiles({Write("kineto.json", R"js({
    "schemaVersion": 1,
    "distributedInfo": {"rank": 0, "world_size": 4}, "traceEvents": [
    {"ph":"X","cat":"user_annotation","name":"step[DECODE bs=2]","pid":1,
     "tid":1,"ts":10,"dur":9},
    {"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":1,"tid":1,
     "ts":11,"dur":2,"args":{"correlation":3}},
    {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":15,"dur":4,
     "args":{"device":0,"stream":7,"correlation":3}}]})js")});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const std::string saved = SavedTrace(loaded->profile);
  const auto reopened = Reopen(saved);
  ASSERT_TRUE(reopened.ok()) << reopened.status();
  EXPECT_EQ(SavedTrace(reopened->profile), saved);
  EXPECT_EQ(reopened->profile.lanes().process(0).job_ranks, 4);
  ASSERT_EQ(reopened->profile.step_phases().size(), 1u);
  EXPECT_EQ(reopened->profile.step_phases()[0],
            loaded->profile.step_phases()[0]);
  EXPECT_EQ(reopened->profile.step_phases()[0].requests, 2);
  ASSERT_EQ(reopened->profile.graph_replays().size(), 1u);
  EXPECT_EQ(reopened->profile.graph_replays()[0],
            loaded->profile.graph_replays()[0]);
  EXPECT_EQ(reopened->profile.graph_replays()[0].unnamed_time, 4000);
}

TEST_F(SavedTraceTest, GraphsWithParametersAndInputs) {
  onnx::OnnxMaker maker;
  maker.Input("x", {-1, 32});
  maker.Initializer("w", {10, 32});
  maker.Node("/net/fc/Gemm", "Gemm", {"x", "w", "gone"}, {"y"});
  maker.Shape("y", {4, 10});
  const auto loaded = loaders::LoadFiles({Write("m.onnx", maker.Model())});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const std::string saved = SavedTrace(loaded->profile);
  const auto reopened = Reopen(saved);
  ASSERT_TRUE(reopened.ok()) << reopened.status();
  EXPECT_EQ(SavedTrace(reopened->profile), saved);
  const profile::Profile& profile = reopened->profile;
  const profile::NodeId gemm =
      profile.nodes().Find(profile.strings().Find("net/fc/Gemm"));
  ASSERT_NE(gemm, profile::kNone);
  EXPECT_THAT(profile.Inputs(gemm), ElementsAre("x", "w", "gone"));
  EXPECT_EQ(profile.nodes().num_inputs(gemm), 3u);
}

TEST_F(SavedTraceTest, ModulesGradientsAndGroupsOfAnyRules) {
  const profile::Profile model = accounting::ShapedModel();
  const std::string saved = SavedTrace(model);
  const auto reopened = Reopen(saved);
  ASSERT_TRUE(reopened.ok()) << reopened.status();
  const profile::Profile& profile = reopened->profile;
  const accounting::ShapedNodes nodes;
  EXPECT_EQ(profile.nodes().forward_of[nodes.backward], nodes.dot);
  EXPECT_EQ(profile.module_name(profile.nodes().ModuleOf(nodes.dot)),
            "jit_step");
  EXPECT_EQ(profile.links().size(), model.links().size());
  EXPECT_EQ(profile.node_name(nodes.fusion), model.node_name(nodes.fusion));
}

TEST_F(SavedTraceTest, OperationsOfPipelines) {
  profile::ProfileBuilder builder;
  profile::PipelineOp op;
  op.step = 3;
  op.dp = 2;
  op.stage = 1;
  op.type = builder.mutable_graph().strings.Intern("forward-compute");
  op.sequence = 4;
  op.micro_batch = 5;
  op.start = 11;
  op.duration = 7;
  builder.AddStep(3);
  builder.AddPipelineOp(op);
  builder.FinishAllSteps();
  const std::string saved = SavedTrace(std::move(builder).Build());
  const auto reopened = Reopen(saved);
  ASSERT_TRUE(reopened.ok()) << reopened.status();
  const profile::Profile& profile = reopened->profile;
  ASSERT_EQ(profile.pipeline_ops().size(), 1u);
  profile::PipelineOp read = profile.pipeline_ops()[0];
  EXPECT_EQ(profile.strings().Get(read.type), "forward-compute");
  read.type = op.type;
  EXPECT_EQ(read, op);
  EXPECT_EQ(SavedTrace(profile), saved);
}

TEST_F(SavedTraceTest, CountersOfKernels) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  profile::GraphTables& graph = builder.mutable_graph();
  const profile::NodeId n = builder.AddNode("n", "Op", profile::kNoRecord);
  const profile::ProcessId process = graph.lanes.InternProcess("p");
  profile::KernelCounters counters;
  counters.counters = {{graph.strings.Intern("Wavefronts"),
                        profile::KernelCounters::Kind::kSum}};
  counters.kernels = {{.name = graph.strings.Intern("gemm"),
                       .node = n,
                       .step = 3,
                       .lane = graph.lanes.Add({.process = process}),
                       .start = 11,
                       .duration = 7},
                      {}};
  counters.values = {64, 0.5};
  builder.SetKernelCounters(counters);
  const std::string saved = SavedTrace(std::move(builder).Build());
  const auto reopened = Reopen(saved);
  ASSERT_TRUE(reopened.ok()) << reopened.status();
  const profile::KernelCounters& read = reopened->profile.kernel_counters();
  ASSERT_EQ(read.kernels.size(), 2u);
  EXPECT_EQ(read.kernels[0].node, n);
  EXPECT_EQ(read.kernels[0].lane, 0u);
  EXPECT_EQ(read.kernels[0].start, 11);
  EXPECT_EQ(read.kernels[1].lane, profile::kNone);
  EXPECT_THAT(read.values, ElementsAre(64, 0.5));
  EXPECT_EQ(SavedTrace(reopened->profile), saved);
}

TEST_F(SavedTraceTest, CountersThatDoNotFitTogether) {
  util::WireWriter w;
  w.Bytes(saved_trace::kMagic, kSavedTraceMagic);
  {
    const util::WireMessage counters(w, saved_trace::kKernelCounters);
    const util::WireMessage columns(w, loaders::saved_counters::kColumns);
    const int64_t name[] = {0};  // one kernel with only a name
    w.PackedInt64(loaders::saved_counters::kKernelName, name);
  }
  const auto reopened = Reopen(std::string(w.bytes()));
  EXPECT_EQ(reopened.status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(SavedTraceTest, AFileThatIsCutOff) {
  const auto loaded = loaders::LoadFiles({Write("trace.json", kChrome)});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::string saved = SavedTrace(loaded->profile);
  saved.pop_back();
  const auto reopened = Reopen(saved);
  EXPECT_EQ(reopened.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(Error(reopened), HasSubstr("the saved trace is cut short"));
}

TEST_F(SavedTraceTest, AnotherVersion) {
  const auto loaded = loaders::LoadFiles({Write("trace.json", kChrome)});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::string saved = SavedTrace(loaded->profile);
  saved[saved.find("trace 1") + 6] = '2';
  EXPECT_THAT(Error(Reopen(saved)),
              HasSubstr("byte 0: not \"tfprof trace 1\""));
}

TEST_F(SavedTraceTest, TablesThatDoNotFitTogether) {
  util::WireWriter w;
  w.Bytes(saved_trace::kMagic, kSavedTraceMagic);
  {
    const util::WireMessage nodes(w, saved_trace::kNodes);
    const int64_t name[] = {5};  // no string has this id
    w.PackedInt64(trace_nodes::kName, name);
  }
  const std::string saved(w.bytes());
  const auto reopened = Reopen(saved);
  EXPECT_EQ(reopened.status().code(), absl::StatusCode::kDataLoss);
}

// The text of a counter's name is read by each command that shows counters.
TEST_F(SavedTraceTest, ACounterWithoutAName) {
  const auto saved = [](int64_t name) {
    util::WireWriter w;
    w.Bytes(saved_trace::kMagic, kSavedTraceMagic);
    w.Bytes(saved_trace::kString, "loss");
    {
      const util::WireMessage process(w, saved_trace::kProcess);
      w.Bytes(trace_process::kName, "python3");
    }
    {
      const util::WireMessage counter(w, saved_trace::kCounter);
      w.Int64(trace_counter::kName, name);
      w.Int64(trace_counter::kProcess, 1);
    }
    return std::string(w.bytes());
  };
  const auto named = Reopen(saved(1));
  EXPECT_TRUE(named.ok()) << named.status();
  const auto nameless = Reopen(saved(0));
  EXPECT_EQ(nameless.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(nameless.status().message()), HasSubstr("counters"));
}

}  // namespace
}  // namespace tfprof::saved_trace
