#include "loaders/chrome_json/chrome/chrome_trace.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"

namespace tfprof::chrome_json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class ChromeTraceTest : public loaders::FolderTest {
 protected:
  absl::StatusOr<loaders::Loaded> LoadEvents(const std::string& events) {
    return loaders::LoadFiles({Write("trace.json", "[" + events + "]")});
  }
  // Returns the self time of operations over all steps, in nanoseconds.
  static std::map<std::string, int64_t> Times(const profile::Profile& profile) {
    std::map<std::string, int64_t> times;
    for (const auto& step : profile.steps()) {
      for (size_t g = 0; g < step->num_groups(); ++g) {
        const auto n = static_cast<profile::NodeId>(step->node[g]);
        times[std::string(profile.strings().Get(profile.nodes().op[n]))] +=
            step->sums.Time(g);
      }
    }
    return times;
  }
  static std::vector<std::string> Names(const profile::Profile& profile) {
    std::vector<std::string> names;
    for (profile::NodeId n = 0; n < profile.nodes().size(); ++n) {
      names.emplace_back(profile.node_name(n));
    }
    return names;
  }
};

TEST_F(ChromeTraceTest, TimesAreWithoutWhatIsInside) {
  const auto loaded = LoadEvents(
      R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a"},
         {"ph":"X","pid":1,"tid":1,"ts":2,"dur":3,"name":"b"},
         {"ph":"X","pid":1,"tid":2,"ts":3,"dur":1.5,"name":"b"})");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->sources[0].format, "chrome trace");
  EXPECT_THAT(Times(loaded->profile),
              ElementsAre(Pair("a", 7000), Pair("b", 4500)));
  EXPECT_THAT(Names(loaded->profile), ElementsAre("a", "a/b", "b"));
  EXPECT_THAT(Steps(*loaded), ElementsAre(0));
  EXPECT_FALSE(loaded->profile.graph().has_code_traces);
}

TEST_F(ChromeTraceTest, AnObjectWithOtherMembers) {
  const auto loaded = loaders::LoadFiles(
      {Write("t", R"({"displayTimeUnit": "ns", "metadata": {"a": [1]},
              "traceEvents": [
                {"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a"}, {}],
              "file_info": {"files": {"x.py": ["NaN \" \\", 3]}}})")});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Times(loaded->profile), ElementsAre(Pair("a", 10000)));
  EXPECT_FALSE(loaded->log.damaged());
}

TEST_F(ChromeTraceTest, CallStacksOfFunctions) {
  const auto loaded = LoadEvents(
      R"js({"ph":"X","tid":1,"ts":0,"dur":9,"name":"main (/m.py:1)"},
         {"ph":"X","tid":1,"ts":1,"dur":3,"name":"len"})js");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  EXPECT_TRUE(profile.graph().has_code_traces);
  const profile::CallStacks& stacks = profile.graph().stacks;
  EXPECT_THAT(stacks.Frames(profile.nodes().stack[1]), SizeIs(2));
}

TEST_F(ChromeTraceTest, KernelsOfTensorFlow1CountOnce) {
  const auto loaded = LoadEvents(
      R"({"ph":"M","pid":1,"name":"process_name",
          "args":{"name":"/job:localhost/replica:0/task:0/device:GPU:0 Compute"}},
         {"ph":"M","pid":2,"name":"process_name",
          "args":{"name":"/device:GPU:0/stream:13 Compute"}},
         {"ph":"M","pid":3,"name":"process_name",
          "args":{"name":"/device:GPU:0/stream:all Compute"}},
         {"ph":"X","cat":"Op","pid":1,"tid":0,"ts":0,"dur":50,"name":"Conv2D",
          "args":{"name":"a/conv","op":"Conv2D"}},
         {"ph":"X","cat":"Op","pid":2,"tid":0,"ts":10,"dur":4,"name":"Conv2D",
          "args":{"name":"a/conv","op":"Conv2D"}},
         {"ph":"X","cat":"Op","pid":3,"tid":0,"ts":10,"dur":4,"name":"Conv2D",
          "args":{"name":"a/conv","op":"Conv2D"}},
         {"ph":"X","cat":"Op","pid":2,"tid":0,"ts":20,"dur":1,"name":"MEMCPYDtoH",
          "args":{"name":"edge_1","op":"MEMCPYDtoH"}})");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  EXPECT_THAT(Names(profile), ElementsAre("a/conv", "edge_1"));
  const profile::StepSums& sums = profile.FindStep(0)->sums;
  EXPECT_EQ(sums.cpu_time[0], 50000);
  EXPECT_EQ(sums.accelerator_time[0], 4000);
  EXPECT_EQ(sums.run_count[0], 1);
  EXPECT_EQ(sums.accelerator_time[1], 1000);
  EXPECT_EQ(sums.run_count[1], 1);
  EXPECT_EQ(profile.lanes().num_processes(), 1u);
  ASSERT_GE(profile.lanes().num_physical(), 1u);
  EXPECT_EQ(profile.lanes().physical(0).label, "gpu:0");
  EXPECT_EQ(profile.lanes().physical(0).kind, "gpu");
}

TEST_F(ChromeTraceTest, AStreamOfCopiesOnly) {
  const auto loaded = LoadEvents(
      R"({"ph":"M","pid":2,"name":"process_name",
          "args":{"name":"/device:GPU:0/stream:14 Compute"}},
         {"ph":"X","cat":"Op","pid":2,"tid":0,"ts":10,"dur":4,
          "name":"MEMCPYHtoD","args":{"name":"edge_1","op":"MEMCPYHtoD"}})");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->profile.lanes().size(), 1u);
  EXPECT_EQ(loaded->profile.lanes()[0].kind, profile::LaneKind::kCopies);
}

TEST_F(ChromeTraceTest, TensorsOfHorovodAreScopes) {
  const auto loaded = LoadEvents(
      R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"grad_1"}},
         {"ph":"B","name":"NEGOTIATE_ALLREDUCE","ts":1,"pid":1},
         {"ph":"E","ts":3,"pid":1},
         {"ph":"B","name":"ALLREDUCE","ts":3,"pid":1},
         {"ph":"B","name":"QUEUE","ts":4,"pid":1},
         {"ph":"E","ts":5,"pid":1},
         {"ph":"E","ts":9,"pid":1})");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(
      Names(loaded->profile),
      UnorderedElementsAre("grad_1/NEGOTIATE_ALLREDUCE", "grad_1/ALLREDUCE",
                           "grad_1/ALLREDUCE/QUEUE"));
  EXPECT_THAT(
      Times(loaded->profile),
      ElementsAre(Pair("ALLREDUCE", 5000), Pair("NEGOTIATE_ALLREDUCE", 2000),
                  Pair("QUEUE", 1000)));
}

TEST_F(ChromeTraceTest, AsynchronousOperationsBesideThreadsAreInNoSum) {
  const std::string async =
      R"({"ph":"b","cat":"c","id":1,"pid":1,"tid":1,"ts":0,"name":"io"},
         {"ph":"e","cat":"c","id":1,"pid":1,"tid":1,"ts":8,"name":"io"})";
  const auto alone = LoadEvents(async);
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_THAT(Times(alone->profile), ElementsAre(Pair("io", 8000)));
  const auto beside = LoadEvents(
      async + R"(,{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"f"})");
  ASSERT_TRUE(beside.ok()) << beside.status();
  EXPECT_THAT(Times(beside->profile),
              ElementsAre(Pair("f", 5000), Pair("io", 0)));
}

TEST_F(ChromeTraceTest, StepsInstantsCountersAndArrows) {
  const auto loaded = LoadEvents(
      R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"train",
          "args":{"step_num":"4"}},
         {"ph":"X","pid":1,"tid":1,"ts":2,"dur":3,"name":"a"},
         {"ph":"X","pid":1,"tid":1,"ts":20,"dur":3,"name":"late"},
         {"ph":"i","pid":1,"tid":1,"ts":3,"name":"now"},
         {"ph":"C","pid":1,"ts":3,"name":"n","args":{"n":7}},
         {"ph":"s","pid":1,"tid":1,"ts":2,"id":1,"name":"x"},
         {"ph":"f","pid":1,"tid":1,"ts":20,"id":1,"name":"x"})");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  const profile::Step* step = profile.FindStep(4);
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->num_groups(), 2u);
  ASSERT_EQ(step->num_outside(), 1u);
  EXPECT_EQ(profile.strings().Get(step->OutsideName(step->num_executions())),
            "now");
  ASSERT_THAT(profile.counters(), SizeIs(1));
  EXPECT_THAT(profile.counters()[0].value, ElementsAre(7));
  ASSERT_EQ(profile.links().size(), 1u);
  EXPECT_EQ(profile.links()[0].from.step, 4);
  EXPECT_EQ(profile.links()[0].to.step, profile::kOutsideSteps);
  ASSERT_EQ(profile.step_intervals().size(), 1u);
  EXPECT_EQ(profile.step_intervals()[0].end, 10000);
}

TEST_F(ChromeTraceTest, ArrowsOfSlicesAreLinks) {
  const auto loaded = LoadEvents(
      R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"send",
          "bind_id":5,"flow_out":true},
         {"ph":"X","pid":1,"tid":2,"ts":20,"dur":3,"name":"receive",
          "flow_in":true,"bind_id":5})");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->profile.links().size(), 1u);
}

TEST_F(ChromeTraceTest, EachFileHasItsOwnProcesses) {
  const std::string a =
      Write("a", R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"f"}])");
  const std::string b =
      Write("b", R"([{"ph":"X","pid":1,"tid":1,"ts":7,"dur":20,"name":"f"}])");
  const auto loaded = loaders::LoadFiles({a, b});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Times(loaded->profile), ElementsAre(Pair("f", 30000)));
  EXPECT_EQ(loaded->profile.lanes().num_processes(), 2u);
}

TEST_F(ChromeTraceTest, FilesThatAreNoTraces) {
  EXPECT_THAT(Error(loaders::LoadFiles({Write(
                  "s", R"({"$schema": "https://www.speedscope.app/file-format-)"
                       R"(schema.json", "profiles": []})")})),
              HasSubstr("this is a file for speedscope"));
  EXPECT_THAT(Error(LoadEvents(R"({"ph":"M","pid":1,"name":"x"})")),
              HasSubstr("no event with a time"));
}

TEST_F(ChromeTraceTest, OtherJsonDoesNotFit) {
  EXPECT_EQ(ChromeTraceFit(R"({"rows": []})"), 0);
  EXPECT_EQ(ChromeTraceFit(R"({"ph": {"X": 3}, "keys": ["traceEvents"]})"), 0);
  EXPECT_EQ(ChromeTraceFit(R"({"traceEvents": 7})"), 0);
  EXPECT_EQ(ChromeTraceFit(R"([{"ph": 7}])"), 0);
  EXPECT_EQ(ChromeTraceFit(" {\"a\": 1, \"traceEvents\" : [ "), 1);
  EXPECT_EQ(ChromeTraceFit(" [ {\"ph\" : \"X\""), 1);
  EXPECT_EQ(ChromeTraceFit("traceEvents"), 0);
  EXPECT_EQ(ChromeTraceFit(""), 0);
}

// A worker of a pipeline, with events of steps 7 and 9.
constexpr char kWorker[] =
    R"({"ph":"M","pid":4,"name":"process_name","args":{"name":"DP rank [2]"}},
       {"ph":"M","pid":4,"tid":1,"name":"thread_name",
        "args":{"name":"PP rank 3, TP rank 0, compute"}},
       {"ph":"M","pid":4,"tid":2,"name":"thread_name",
        "args":{"name":"PP rank 3, TP rank 0, pp-comm"}},
       {"ph":"X","pid":4,"tid":1,"ts":0,"dur":10,"name":"forward-compute",
        "args":{"step":7,"seq_id":0,"mb_id":5,"model_chunk":0}},
       {"ph":"X","pid":4,"tid":2,"ts":10,"dur":2,"name":"forward-send",
        "args":{"step":7,"seq_id":0,"mb_id":-1,"model_chunk":-1}},
       {"ph":"X","pid":4,"tid":1,"ts":50,"dur":20,"name":"forward-compute",
        "args":{"step":9,"seq_id":0,"mb_id":5,"model_chunk":0}})";

TEST_F(ChromeTraceTest, OperationsOfAPipeline) {
  const auto loaded = LoadEvents(kWorker);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  EXPECT_THAT(Steps(*loaded), ElementsAre(7, 9));
  const profile::PipelineOps& ops = profile.pipeline_ops();
  ASSERT_EQ(ops.size(), 3u);
  const profile::PipelineOp last = ops[2];
  EXPECT_EQ(last.step, 9);
  EXPECT_EQ(last.dp, 2);
  EXPECT_EQ(last.stage, 3);
  EXPECT_EQ(profile.strings().Get(last.type), "forward-compute");
  EXPECT_EQ(last.micro_batch, 5);
  EXPECT_EQ(last.start, 50'000);
  EXPECT_EQ(last.duration, 20'000);
  // A worker is a device that computes and communicates.
  const profile::LaneTable& lanes = profile.lanes();
  ASSERT_EQ(lanes.size(), 2u);
  EXPECT_EQ(lanes[0].kind, profile::LaneKind::kCompute);
  EXPECT_EQ(lanes[1].kind, profile::LaneKind::kCommunication);
  EXPECT_EQ(lanes[0].physical, lanes[1].physical);
  EXPECT_EQ(lanes.physical(lanes[0].physical).label, "stage:3");
}

TEST_F(ChromeTraceTest, OtherSlicesOfAPipelineAreOutsideOfItsSteps) {
  const auto loaded =
      LoadEvents(std::string(kWorker) +
                 R"(,{"ph":"X","pid":9,"tid":1,"ts":0,"dur":10,"name":"a"})");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(profile::kOutsideSteps, 7, 9));
}

// A step is no step of a pipeline where no thread is a worker.
TEST_F(ChromeTraceTest, TheSameArgumentsOfAnotherTool) {
  const auto loaded = LoadEvents(
      R"({"ph":"X","pid":4,"tid":1,"ts":0,"dur":10,"name":"forward-compute",
          "args":{"step":7,"seq_id":0}})");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(0));
  EXPECT_EQ(loaded->profile.pipeline_ops().size(), 0u);
}

TEST_F(ChromeTraceTest, ATimelineOfTfprofKeepsItsDevicesAndSteps) {
  const auto loaded = LoadEvents(
      R"({"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"python3"}},
         {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"cpu:0 python3 launches"}},
         {"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"gpu:0 stream 7"}},
         {"ph":"M","name":"thread_name","pid":1,"tid":4,"args":{"name":"gpu:0 stream 7 copies"}},
         {"ph":"M","name":"thread_name","pid":1,"tid":5,"args":{"name":"steps"}},
         {"ph":"X","name":"step 3","cat":"step","pid":1,"tid":5,"ts":0,"dur":50,"args":{"step":3}},
         {"ph":"X","name":"aten::mm","cat":"compute","pid":1,"tid":1,"ts":1,"dur":9,"args":{"node":"layer/aten::mm","step":3}},
         {"ph":"X","name":"cudaLaunchKernel","cat":"launches","pid":1,"tid":2,"ts":2,"dur":3,"args":{"node":"layer/aten::mm/cudaLaunchKernel","step":3}},
         {"ph":"X","name":"aten::mm","cat":"kernels","pid":1,"tid":3,"ts":12,"dur":20,"args":{"node":"layer/aten::mm","event":"gemm<\"a\">","step":3}},
         {"ph":"X","name":"h2d","cat":"copies","pid":1,"tid":4,"ts":33,"dur":5,"args":{"node":"h2d","event":"Memcpy","step":3}},
         {"ph":"s","name":"launch","cat":"link","id":0,"pid":1,"tid":2,"ts":2},
         {"ph":"f","name":"launch","cat":"link","id":0,"bp":"e","pid":1,"tid":3,"ts":12})");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  EXPECT_THAT(Steps(*loaded), ElementsAre(3));
  EXPECT_THAT(Names(profile),
              UnorderedElementsAre("layer/aten::mm",
                                   "layer/aten::mm/cudaLaunchKernel", "h2d"));
  std::vector<std::string> work;
  for (const auto& step : profile.steps()) {
    for (size_t e = 0; e < step->num_executions(); ++e) {
      const profile::Lane& lane = profile.lanes()[step->LaneOf(e)];
      work.push_back(std::string(profile::LaneKindName(lane.kind)) + ' ' +
                     profile.lanes().physical(lane.physical).label + ' ' +
                     std::to_string(lane.stream) + ' ' +
                     std::string(profile
                                     .Text(static_cast<profile::RecordRef>(
                                         step->exec_record[e]))
                                     .name));
    }
  }
  EXPECT_THAT(work, UnorderedElementsAre("compute cpu:0 -1 aten::mm",
                                         "launches cpu:0 -1 cudaLaunchKernel",
                                         "kernels gpu:0 7 gemm<\"a\">",
                                         "copies gpu:0 7 Memcpy"));
  ASSERT_EQ(profile.links().size(), 1u);
  EXPECT_EQ(profile.links()[0].kind, profile::LinkKind::kLaunch);
}

}  // namespace
}  // namespace tfprof::chrome_json
