#include "loaders/chrome_json/kineto/kineto.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/chrome_json/kineto/kineto_testing.h"
#include "profile/attr_value.h"
#include "profile/steps/step.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Sums = LoadedTrace::Sums;

TEST(Kineto, TimesOfOperatorsAreTheirOwn) {
  const LoadedTrace t =
      LoadTrace({Op("aten::linear", "10.001", "5"), Op("aten::mm", "11", "2.5"),
                 Op("aten::mm", "14", "0.5")});
  EXPECT_EQ(t.ByName().at("aten::linear"), (Sums{1, 2000, 0}));
  EXPECT_EQ(t.ByName().at("aten::mm"), (Sums{2, 3000, 0}));
  EXPECT_EQ(t.profile.ticks_per_micro(), 1000);
}

TEST(Kineto, EventsMayComeInAnyOrder) {
  const LoadedTrace t =
      LoadTrace({Op("aten::mm", "11", "2"), Op("aten::linear", "10", "5")});
  EXPECT_EQ(t.ByName().at("aten::linear").cpu, 3000);
}

TEST(Kineto, TheOnlyChildOfTheSameNameIsItsParent) {
  const LoadedTrace t = LoadTrace({
      Op("aten::div", "10", "10"), Op("aten::div", "11", "8"),
      Op("aten::to", "12", "1"),  // merged
      Op("aten::mul", "30", "10"), Op("aten::mul", "31", "2"),
      Op("aten::mul", "34", "2"),  // two children
  });
  EXPECT_EQ(t.ByName().at("aten::div"), (Sums{1, 9000, 0}));
  EXPECT_EQ(t.ByName().at("aten::to"), (Sums{1, 1000, 0}));
  EXPECT_EQ(t.ByName().at("aten::mul"), (Sums{3, 10000, 0}));
}

// Each operator is called by the other one. The graph view begins at nodes
// without a caller.
TEST(Kineto, OperatorsThatCallEachOtherHaveNoCycle) {
  const LoadedTrace t = LoadTrace({Op("a", "10", "5"), Op("b", "11", "2"),
                                   Op("b", "20", "5"), Op("a", "21", "2")});
  const profile::NodeTable& nodes = t.profile.nodes();
  const profile::NodeId a = t.Find("a"), b = t.Find("b");
  EXPECT_EQ(nodes.num_inputs(a) + nodes.num_inputs(b), 1u);
}

TEST(Kineto, ThreadsDoNotNestInEachOther) {
  const LoadedTrace t =
      LoadTrace({Op("a", "10", "10"), Op("b", "11", "2", "", "6"),
                 Op("c", "11", "2", "", "\"5\"")});
  EXPECT_EQ(t.ByName().at("a").cpu, 8000);
  EXPECT_EQ(t.ByName().at("b").cpu, 2000);
}

TEST(Kineto, KernelsBelongToTheOperatorOfTheirLaunch) {
  const LoadedTrace t = LoadTrace({
      Op("aten::mm", "10", "10"),
      Launch("cudaLaunchKernel", "12", "3", 7),
      OnStream("kernel", "gemm", "30", "40.5", 7, 7),
      OnStream("kernel", "reduce", "75", "1", 7, 7),
  });
  EXPECT_EQ(t.ByName().at("aten::mm"), (Sums{1, 7000, 41500}));
  EXPECT_EQ(t.ByName().at("cudaLaunchKernel"), (Sums{1, 3000, 0}));
  ASSERT_EQ(t.profile.links().size(), 2u);
  const profile::Step& step = *t.profile.steps()[0];
  const profile::Link link = t.profile.links()[0];
  EXPECT_EQ(link.kind, profile::LinkKind::kLaunch);
  const profile::Lane& from = t.profile.lanes()[step.LaneOf(link.from.index)];
  EXPECT_EQ(from.kind, profile::LaneKind::kLaunches);
  const auto record = [&](uint32_t index) {
    return t.profile
        .Text(static_cast<profile::RecordRef>(step.exec_record[index]))
        .name;
  };
  EXPECT_EQ(record(link.from.index), "cudaLaunchKernel");
  EXPECT_EQ(record(link.to.index), "gemm");
}

TEST(Kineto, ALaunchWithoutAnOperatorHasItsKernels) {
  const LoadedTrace t = LoadTrace({
      Launch("cudaLaunchKernel", "12", "3", 7),
      OnStream("kernel", "gemm", "30", "4", 7, 7),
  });
  EXPECT_EQ(t.ByName().at("cudaLaunchKernel"), (Sums{1, 3000, 4000}));
}

TEST(Kineto, ExternalIdsAreNotAJoin) {
  const LoadedTrace t = LoadTrace({
      Op("aten::mm", "10", "10", "\"External id\":7"),
      OnStream("kernel", "gemm", "30", "4", 7, 7),
  });
  EXPECT_EQ(t.ByName().at("(launch not in the file)/gemm"), (Sums{1, 0, 4000}));
  EXPECT_EQ(t.ByName().at("aten::mm").accelerator, 0);
  const profile::NodeId n = t.Find("(launch not in the file)/gemm");
  EXPECT_EQ(t.profile.strings().Get(t.profile.nodes().op[n]), "gemm");
}

TEST(Kineto, AStreamHasALaneForEachKind) {
  const LoadedTrace t = LoadTrace({
      OnStream("kernel", "gemm", "10", "1", 7, 1),
      OnStream("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", "11", "2", 7,
               2),
      OnStream("gpu_memset", "Memset (Device)", "13", "3", 7, 3),
      OnStream("kernel", "ncclKernel_AllReduce", "20", "4", 7, 4),
      OnStream("gpu_user_annotation", "forward", "10", "20", 7, 0),
      OnStream("cuda_sync", "Stream Sync", "10", "20", 7, 0),
  });
  std::vector<profile::LaneKind> kinds;
  for (profile::LaneId l = 0; l < t.profile.lanes().size(); ++l) {
    const profile::Lane& lane = t.profile.lanes()[l];
    kinds.push_back(lane.kind);
    EXPECT_EQ(lane.stream, 7);
    EXPECT_EQ(t.profile.lanes().physical(lane.physical).label, "gpu:0");
  }
  EXPECT_THAT(
      kinds,
      ElementsAre(profile::LaneKind::kKernels, profile::LaneKind::kCopies,
                  profile::LaneKind::kCommunication,
                  profile::LaneKind::kAnnotation, profile::LaneKind::kOther));
  int64_t accelerator = 0;
  for (const auto& [name, sums] : t.ByName()) accelerator += sums.accelerator;
  EXPECT_EQ(accelerator, 10000);
  EXPECT_EQ(t.profile.steps()[0]->num_outside(), 2u);
}

TEST(Kineto, RangesAreScopesAndNodesInThem) {
  const LoadedTrace t =
      LoadTrace({Range("forward", "10", "10"), Op("aten::mm", "11", "4")});
  EXPECT_EQ(t.ByName().at("forward/aten::mm"), (Sums{1, 4000, 0}));
  EXPECT_EQ(t.ByName().at("forward/forward"), (Sums{1, 6000, 0}));
  EXPECT_EQ(t.ScopeOf("forward/aten::mm"), "forward");
}

TEST(Kineto, StepsAreNoScopes) {
  const LoadedTrace t = LoadTrace({
      Op("aten::warm_up", "1", "1"),
      Range("ProfilerStep#12", "10", "10"),
      Op("aten::mm", "11", "4"),
      Range("ProfilerStep#13", "20", "10"),
      Op("aten::mm", "21", "5"),
  });
  ASSERT_EQ(t.profile.steps().size(), 3u);
  EXPECT_EQ(t.profile.steps()[0]->id, profile::kOutsideSteps);
  EXPECT_EQ(t.profile.steps()[1]->id, 12);
  EXPECT_EQ(t.profile.steps()[2]->id, 13);
  EXPECT_EQ(t.ByName().at("aten::mm"), (Sums{2, 9000, 0}));
  EXPECT_EQ(t.ByName().at("ProfilerStep*"), (Sums{2, 11000, 0}));
  ASSERT_EQ(t.profile.step_intervals().size(), 2u);
  const profile::StepInterval interval = t.profile.step_intervals()[0];
  EXPECT_EQ(interval.start, 9000);
  EXPECT_EQ(interval.end, 19000);
}

TEST(Kineto, StepsOfAnEngineHavePhases) {
  const LoadedTrace t = LoadTrace({
      Range("ProfilerStep#3", "1", "99"),
      Range("step[EXTEND bs=2 toks=700]", "10", "10"),
      Op("aten::mm", "11", "4"),
      Launch("cudaLaunchKernel", "12", "1", 7),
      Range("step[DECODE bs=2]", "30", "10"),
      OnStream("kernel", "gemm", "32", "8", 7, 7),
      Launch("cudaLaunchKernel", "31", "1", 8),
      OnStream("kernel", "lone", "50", "3", 7, 8),
  });
  ASSERT_EQ(t.profile.step_phases().size(), 2u);
  EXPECT_EQ(t.profile.step_phases()[0],
            (profile::StepPhase{.step = 0,
                                .phase = profile::Phase::kPrefill,
                                .requests = 2,
                                .tokens = 700}));
  EXPECT_EQ(t.profile.step_phases()[1].phase, profile::Phase::kDecode);
  // They are no scopes, and have no kernels.
  EXPECT_EQ(t.ByName().at("aten::mm"), (Sums{1, 3000, 8000}));
  EXPECT_EQ(t.ByName().at("prefill step"), (Sums{1, 6000, 0}));
  EXPECT_EQ(t.ByName().at("cudaLaunchKernel").accelerator, 3000);
  ASSERT_EQ(t.profile.step_intervals().size(), 2u);
  EXPECT_EQ(t.profile.strings().Get(t.profile.step_intervals()[1].name),
            "step[DECODE bs=2]");
  // A range around steps is no work.
  EXPECT_EQ(t.ByName().at("ProfilerStep*").cpu, 0);
}

// torch's own operators may name parts of themselves.
TEST(Kineto, AnOperatorComesBeforeARangeInIt) {
  const LoadedTrace t = LoadTrace({
      Op("aten::mm", "10", "10"),
      Range("part", "11", "8"),
      Launch("cudaLaunchKernel", "12", "1", 7),
      OnStream("kernel", "gemm", "30", "4", 7, 7),
      Range("lone", "40", "8"),
      Op("execute", "41", "6"),
      Launch("cudaLaunchKernel", "42", "1", 8),
      OnStream("kernel", "other", "50", "3", 7, 8),
  });
  EXPECT_EQ(t.ByName().at("aten::mm").accelerator, 4000);
  EXPECT_EQ(t.ByName().at("lone/lone").accelerator, 3000);
}

TEST(Kineto, AKernelIsInTheStepOfItsLaunch) {
  const LoadedTrace t = LoadTrace({
      Range("ProfilerStep#1", "10", "10"),
      Launch("cudaLaunchKernel", "19", "1", 7),
      Range("ProfilerStep#2", "20", "10"),
      OnStream("kernel", "gemm", "21", "4", 7, 7),
      OnStream("kernel", "early", "22", "4", 7, 8),
  });
  const auto accelerator_of = [&](int64_t id) {
    int64_t sum = 0;
    const profile::Step& step = *t.profile.FindStep(id);
    for (size_t g = 0; g < step.num_groups(); ++g) {
      sum += accounting::StatsOfGroup(step, g)[accounting::kAcceleratorMicros];
    }
    return sum;
  };
  EXPECT_EQ(accelerator_of(1), 4000);
  EXPECT_EQ(accelerator_of(2), 4000);
  EXPECT_EQ(t.ByName().at("(launch not in the file)/early").accelerator, 4000);
}

TEST(Kineto, ModulesAreScopesAndFramesAreStacks) {
  const auto python = [](std::string_view name, std::string_view start,
                         std::string_view duration, std::string_view from) {
    return Complete(
        "python_function", name, start, duration,
        from.empty() ? "" : fmt::format("\"CallFrom\":\"{}\"", from));
  };
  const LoadedTrace t = LoadTrace({
      python("train.py(70): <module>", "1", "99", ""),
      python("train.py(20): step", "10", "80", "train.py:74"),
      python("nn.Module: Net_0", "20", "50", "train.py:25"),
      python("net.py(5): forward", "21", "40", ""),
      python("nn.Module: Conv2d_1", "22", "20", "net.py:8"),
      python("<built-in method conv2d of type object at 0x7f01>", "23", "10",
             "torch/conv.py:456"),
      Op("aten::conv2d", "24", "5"),
      Op("aten::relu", "45", "5"),
  });
  EXPECT_EQ(t.ScopeOf("Net_0/Conv2d_1/aten::conv2d"), "Net_0|Conv2d_1");
  EXPECT_THAT(t.StackOf("Net_0/Conv2d_1/aten::conv2d"),
              ElementsAre("train.py:74 <module>", "train.py:25 step",
                          "net.py:456 forward"));
  EXPECT_THAT(t.StackOf("Net_0/aten::relu"),
              ElementsAre("train.py:74 <module>", "train.py:25 step",
                          "net.py:5 forward"));
  EXPECT_TRUE(t.profile.graph().has_code_traces);
}

TEST(Kineto, PlacesOfOneOperatorAreDifferentNodes) {
  const auto op = [](std::string_view start, std::string_view stack) {
    return Op("aten::add", start, "1",
              fmt::format("\"Call stack\":\"{}\"", stack));
  };
  const LoadedTrace t = LoadTrace({
      op("10", "/x/net.py(8): f;/x/main.py(3): main;"),
      op("20", "/x/net.py(9): f;/x/main.py(3): main;"),
      op("30", "/x/net.py(9): f;/x/main.py(4): main;"),
      op("40", "/x/net.py(8): f;/x/main.py(3): main;"),
  });
  EXPECT_EQ(t.ByName().at("aten::add @net.py:8").runs, 2);
  EXPECT_EQ(t.ByName().at("aten::add @net.py:9").runs, 1);
  EXPECT_EQ(t.ByName().at("aten::add @net.py:9#2").runs, 1);
  EXPECT_THAT(t.StackOf("aten::add @net.py:9#2"),
              ElementsAre("/x/main.py:4 main", "/x/net.py:9 f"));
}

std::string Flow(std::string_view phase, std::string_view ts,
                 std::string_view thread) {
  return fmt::format(
      R"({{"ph":"{}","id":3,"pid":1,"tid":{},"ts":{},"cat":"fwdbwd",)"
      R"("name":"fwdbwd"}})",
      phase, thread, ts);
}

TEST(Kineto, BackwardOperatorsAreInTheScopeOfTheirForwardOnes) {
  const std::string evaluate =
      "autograd::engine::evaluate_function: MmBackward0";
  const LoadedTrace t = LoadTrace({
      Complete("python_function", "nn.Module: Net_0", "10", "20"),
      Op("aten::mm", "12", "5"),
      Op(evaluate, "40", "20", "", "6"),
      Op("MmBackward0", "41", "15", "", "6"),
      Op("aten::t", "42", "2", "", "6"),
      Flow("s", "12", "5"),
      Flow("f", "41", "6"),
  });
  EXPECT_EQ(t.ScopeOf("Net_0/(backward)/MmBackward0"), "Net_0|(backward)");
  EXPECT_EQ(t.ScopeOf("Net_0/(backward)/aten::t"), "Net_0|(backward)");
  EXPECT_EQ(t.ScopeOf("Net_0/(backward)/" + evaluate), "Net_0|(backward)");
  EXPECT_EQ(
      t.profile.nodes().forward_of[t.Find("Net_0/(backward)/MmBackward0")],
      t.Find("Net_0/aten::mm"));
  ASSERT_EQ(t.profile.links().size(), 1u);
  EXPECT_EQ(t.profile.links()[0].kind, profile::LinkKind::kGradient);
}

TEST(Kineto, SequenceNumbersWhereThereAreNoArrows) {
  const LoadedTrace t = LoadTrace({
      Op("aten::mm", "12", "5", "\"Sequence number\":4,\"Fwd thread id\":0"),
      Op("MmBackward0", "40", "5", "\"Sequence number\":4,\"Fwd thread id\":1"),
  });
  EXPECT_EQ(t.profile.nodes().forward_of[t.Find("(backward)/MmBackward0")],
            t.Find("aten::mm"));
}

std::string Memory(std::string_view ts, int bytes, int total) {
  return fmt::format(
      R"({{"ph":"i","name":"[memory]","s":"t","pid":1,"tid":5,"ts":{},)"
      R"("args":{{"Bytes":{},"Device Type":1,"Device Id":0,)"
      R"("Total Allocated":{}}}}})",
      ts, bytes, total);
}

TEST(Kineto, MemoryIsOfTheInnermostOperator) {
  const LoadedTrace t = LoadTrace({
      Op("aten::conv2d", "10", "10"),
      Op("aten::empty", "11", "2"),
      Memory("12", 100, 100),
      Memory("15", 64, 164),
      Memory("16", -100, 64),
      Memory("17", 32, 96),
  });
  const accounting::Stats empty = accounting::StatsOfGroup(
      *t.profile.steps()[0],
      t.profile.steps()[0]->FindGroup(t.Find("aten::empty")));
  EXPECT_EQ(empty[accounting::kRequestedBytes], 100);
  const accounting::Stats conv = accounting::StatsOfGroup(
      *t.profile.steps()[0],
      t.profile.steps()[0]->FindGroup(t.Find("aten::conv2d")));
  EXPECT_EQ(conv[accounting::kRequestedBytes], 96);
  EXPECT_EQ(conv[accounting::kPeakBytes], 64);
  EXPECT_EQ(conv[accounting::kResidualBytes], 0);
  ASSERT_EQ(t.profile.counters().size(), 1u);
  const profile::Counter& counter = t.profile.counters()[0];
  EXPECT_EQ(t.profile.strings().Get(counter.name), "gpu:0 allocated");
  EXPECT_EQ(counter.value, (std::vector<double>{100, 164, 64, 96}));
  EXPECT_EQ(counter.time[0], 2000);
}

std::string OnDevice(int device) {
  return fmt::format(
      R"({{"ph":"X","cat":"kernel","name":"gemm","pid":{0},"tid":7,"ts":30,)"
      R"("dur":4,"args":{{"device":{0},"stream":7}}}})",
      device);
}

// ROCm gives kernels the number of an agent, and the CPUs are agents, too.
TEST(Kineto, TheOneAcceleratorWithMemoryAndWorkHasOneName) {
  const LoadedTrace t = LoadTrace({Memory("12", 100, 100), OnDevice(2)});
  ASSERT_EQ(t.profile.counters().size(), 1u);
  EXPECT_EQ(t.profile.strings().Get(t.profile.counters()[0].name),
            "gpu:2 allocated");
}

TEST(Kineto, OfSeveralAcceleratorsEachHasItsNumber) {
  const LoadedTrace t =
      LoadTrace({Memory("12", 100, 100), OnDevice(1), OnDevice(2)});
  ASSERT_EQ(t.profile.counters().size(), 1u);
  EXPECT_EQ(t.profile.strings().Get(t.profile.counters()[0].name),
            "gpu:0 allocated");
}

TEST(Kineto, CallsAreEdges) {
  const LoadedTrace t =
      LoadTrace({Op("aten::linear", "10", "5"), Op("aten::mm", "11", "2")});
  const profile::NodeTable& nodes = t.profile.nodes();
  const profile::NodeId parent = t.Find("aten::linear");
  ASSERT_EQ(nodes.num_inputs(parent), 1u);
  EXPECT_EQ(nodes.Source(parent, nodes.edge_begin[parent]), t.Find("aten::mm"));
}

TEST(Kineto, ArgumentsAndShapesComeFromTheFile) {
  const LoadedTrace t = LoadTrace(
      {Op("aten::mm", "10", "5",
          R"("Input Dims":[[2,3],[3,4]],"Input type":["float","float"])"),
       Op("aten::add", "20", "5", R"("Input Dims":[[2]])"),
       Op("aten::add", "30", "5", R"("Input Dims":[[7]])")});
  const profile::Step& step = *t.profile.steps()[0];
  const profile::ArgumentList arguments = t.profile.Arguments(
      static_cast<profile::RecordRef>(step.exec_record[step.exec_begin(
          step.FindGroup(t.Find("aten::mm")))]));
  EXPECT_THAT(arguments,
              ElementsAre(std::pair<std::string, std::string>("Input Dims",
                                                              "[[2,3],[3,4]]"),
                          std::pair<std::string, std::string>(
                              "Input type", R"(["float","float"])")));
  const profile::AttributeList shapes =
      t.profile.Attributes(t.Find("aten::mm"));
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0].first, "input_shapes");
  EXPECT_THAT(profile::AttrShapes(shapes[0].second),
              ElementsAre(ElementsAre(2, 3), ElementsAre(3, 4)));
  // Its executions have different shapes.
  EXPECT_TRUE(t.profile.Attributes(t.Find("aten::add")).empty());
}

TEST(Kineto, ProcessGroupsAreCountedWithoutAMessage) {
  const auto groups = [](std::string_view rank) {
    return R"("distributedInfo":{"rank":)" + std::string(rank) +
           R"(,"pg_config":[{"pg_name":"0",)"
           R"("pg_desc":"default_pg","pg_size":2,"ranks":[0,1]}]})";
  };
  const LoadedTrace t = LoadTraces({
      {"a.json", Trace({Op("aten::mm", "10", "5")}, groups("0"))},
      {"b.json", Trace({Op("aten::mm", "12", "7")}, groups("1"))},
  });
  ASSERT_EQ(t.log.entries().size(), 1u);
  EXPECT_EQ(t.log.entries()[0].kind,
            "process group 0 (default_pg): 2 ranks: 0-1");
  EXPECT_EQ(t.log.entries()[0].count, 2);
  EXPECT_TRUE(t.log.Lines().empty());
}

TEST(Kineto, RanksShareNodesAndAreProcesses) {
  const std::string base =
      R"("baseTimeNanoseconds":1700000000000000000,"host_name":"h")";
  const LoadedTrace t = LoadTraces({
      {"a.json", Trace({Op("aten::mm", "10", "5")},
                       base + R"(,"distributedInfo":{"rank":3})")},
      {"trace_rank-1.json", Trace({Op("aten::mm", "12", "7")}, base)},
  });
  EXPECT_EQ(t.ByName().at("aten::mm"), (Sums{2, 12000, 0}));
  ASSERT_EQ(t.profile.lanes().num_processes(), 2u);
  EXPECT_EQ(t.profile.lanes().process(0).rank, 3);
  EXPECT_EQ(t.profile.lanes().process(0).label, "rank 3");
  EXPECT_EQ(t.profile.lanes().process(0).host, "h");
  EXPECT_EQ(t.profile.lanes().process(1).rank, 1);
  // Both use one clock; the second rank began 2 us later.
  EXPECT_EQ(t.profile.steps()[0]->exec_start.Nanos(0), 0);
  EXPECT_EQ(t.profile.steps()[0]->exec_start.Nanos(1), 2000);
}

TEST(Kineto, TwoProgramsAreNoRanks) {
  const LoadedTrace t = LoadTraces({
      {"bert.json", Trace({Op("aten::mm", "10", "5")})},
      {"qwen.json", Trace({Op("aten::add", "12", "7")})},
  });
  const profile::LaneTable& lanes = t.profile.lanes();
  ASSERT_EQ(lanes.num_processes(), 2u);
  EXPECT_EQ(lanes.process(0).rank, -1);
  EXPECT_EQ(lanes.process(0).label, "bert.json");
  EXPECT_EQ(lanes.process(1).rank, -1);
  EXPECT_EQ(lanes.process(1).label, "qwen.json");
  ASSERT_EQ(t.log.Lines().size(), 1u);
  EXPECT_THAT(t.log.Lines()[0], ::testing::HasSubstr("tfprof --base"));
}

TEST(Kineto, FilesWithoutAbsoluteTimesHaveTheirOwnClocks) {
  const LoadedTrace t = LoadTraces({{"a.json", Trace({Op("x", "10", "5")})},
                                    {"b.json", Trace({Op("x", "99", "5")})}});
  EXPECT_NE(t.profile.lanes()[0].clock, t.profile.lanes()[1].clock);
  EXPECT_EQ(t.profile.steps()[0]->exec_start.Nanos(1), 0);
}

TEST(Kineto, NamesOfTorch19) {
  const LoadedTrace t = LoadTrace({
      Complete("Operator", "aten::mm", "10", "10", "", "\"5\""),
      Complete("Runtime", "cudaLaunchKernel", "12", "3", "\"correlation\":7"),
      R"({"ph":"X","cat":"Kernel","name":"gemm","pid":2,"tid":"stream 9",)"
      R"("ts":30,"dur":4,"args":{"correlation":7}})",
  });
  EXPECT_EQ(t.ByName().at("aten::mm"), (Sums{1, 7000, 4000}));
  const profile::Lane& lane = t.profile.lanes()[t.profile.lanes().size() - 1];
  EXPECT_EQ(lane.stream, 9);
  EXPECT_EQ(t.profile.lanes().physical(lane.physical).label, "gpu:2");
}

TEST(Kineto, RangesOfTorch110AreOperatorsWithoutShapes) {
  const LoadedTrace t = LoadTrace({
      Op("ProfilerStep#2", "5", "20"),
      Op("forward", "10", "10"),
      Op("aten::mm", "11", "2", R"("Input Dims":[[1]])"),
  });
  EXPECT_EQ(t.profile.steps()[0]->id, 2);
  EXPECT_EQ(t.ScopeOf("forward/aten::mm"), "forward");
}

TEST(Kineto, OperatorsWithAStreamStayOnTheHost) {
  const LoadedTrace t = LoadTrace(
      {Op("triton_poi_fused", "10", "5", R"("stream":7,"device":0)")});
  EXPECT_EQ(t.ByName().at("triton_poi_fused"), (Sums{1, 5000, 0}));
}

TEST(Kineto, AsynchronousRangesHaveNoTime) {
  const LoadedTrace t = LoadTrace(
      {Range("gloo:all_reduce", "10", "20"), Op("aten::mm", "12", "5")});
  EXPECT_EQ(t.ByName().at("aten::mm"), (Sums{1, 5000, 0}));
  EXPECT_EQ(t.ByName().at("gloo:all_reduce/gloo:all_reduce"), (Sums{0, 0, 0}));
}

TEST(Kineto, DevicesHaveTheirModel) {
  const LoadedTrace t = LoadTrace(
      {OnStream("kernel", "gemm", "30", "4", 7, 7)},
      R"("deviceProperties":[{"id":0,"name":"H100","totalGlobalMem":85}])");
  const profile::PhysicalDevice& device = t.profile.lanes().physical(0);
  EXPECT_EQ(device.name, "gpu:0");
  EXPECT_EQ(device.kind, "gpu");
  EXPECT_EQ(device.model, "H100");
  EXPECT_EQ(device.memory_bytes, 85);
}

TEST(Kineto, TheLastNameOfAThreadCounts) {
  const auto name = [](std::string_view text) {
    return fmt::format(
        R"({{"ph":"M","name":"thread_name","pid":1,"tid":5,"ts":1,)"
        R"("args":{{"name":"{}"}}}})",
        text);
  };
  const LoadedTrace t =
      LoadTrace({name("python"), Op("x", "10", "5"), name("pt_gloo_runloop")});
  EXPECT_EQ(t.profile.strings().Get(t.profile.lanes()[0].name),
            "pt_gloo_runloop");
  EXPECT_EQ(t.profile.lanes()[0].thread, 5);
}

TEST(Kineto, WhatTheRecorderReportsIsShown) {
  const LoadedTrace t =
      LoadTrace({Op("x", "1", "1")}, R"("ERROR":["no device","x"])");
  EXPECT_FALSE(t.log.damaged());
  EXPECT_THAT(t.log.Lines(),
              ElementsAre(HasSubstr("the recorder reports: no device"),
                          HasSubstr("the recorder reports: x")));
}

TEST(Kineto, EventsWithoutATimeAreCounted) {
  const LoadedTrace t = LoadTrace(
      {Op("a", "NaN", "1"), Op("b", "5", "Infinity"), Op("c", "9", "-3")});
  EXPECT_TRUE(t.log.damaged());
  EXPECT_EQ(t.log.entries()[0].count, 2);
  EXPECT_EQ(t.ByName().size(), 1u);
  EXPECT_EQ(t.ByName().at("c"), (Sums{1, 0, 0}));
}

TEST(Kineto, TimesAtTheLimits) {
  const LoadedTrace t = LoadTrace({
      Op("a", "-9223372036854775", "9223372036854775"),
      Op("b", "9223372036854775", "9223372036854775"),
      Op("c", "0", "1"),
  });
  EXPECT_EQ(t.ByName().at("c").runs, 1);
}

TEST(Kineto, ADamagedTailKeepsWhatCameBefore) {
  std::string text = Trace({Op("a", "1", "1"), Op("b", "5", "1")});
  text.resize(text.size() - 20);
  const LoadedTrace t = LoadTraces({{"cut.json", text}});
  EXPECT_EQ(t.ByName().size(), 1u);
  ASSERT_TRUE(t.log.damaged());
  EXPECT_THAT(t.log.Lines()[0], HasSubstr("cut.json: 1 event is damaged"));
}

// One thread reads text while another adds the events read before.
TEST(Kineto, ALargeFileIsTheSameWithAnyNumberOfThreads) {
  constexpr int kEvents = 4000;
  std::vector<std::string> events;
  for (int i = 0; i < kEvents; ++i) {
    events.push_back(Op(fmt::format("op{}", i % 7), fmt::format("{}", 10 * i),
                        "4", R"("Input Dims":[[1,2]])"));
  }
  // This event is larger than what is read at once.
  events[kEvents / 2] =
      Op("large", fmt::format("{}", 5 * kEvents), "4",
         R"("Input Dims":[],"x":")" + std::string(200'000, 'x') + "\"");
  events[kEvents / 3] = R"({"ph":"X" "damaged"})";
  const std::string text = Trace(events, R"("distributedInfo":{"rank":3})");
  const LoadedTrace one = LoadTraces({{"t.json", text}}, {.threads = 1});
  const LoadedTrace four = LoadTraces({{"t.json", text}}, {.threads = 4});
  const auto sums = one.ByName();
  EXPECT_EQ(sums.size(), 8u);
  EXPECT_EQ(sums.at("large"), (Sums{1, 4000, 0}));
  int64_t runs = 0;
  for (const auto& [name, sum] : sums) runs += sum.runs;
  EXPECT_EQ(runs, kEvents - 1);
  EXPECT_EQ(four.ByName(), sums);
  EXPECT_EQ(four.log.Lines(), one.log.Lines());
}

TEST(Kineto, AFileWithoutEventsIsAnError) {
  loaders::LoadContext context;
  const absl::Status status = LoadKineto(
      std::vector<std::shared_ptr<const loaders::InputFile>>{
          loaders::InputFile::FromBytes("x.json", R"({"schemaVersion":1})")},
      context);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("x.json: expected"));
}

TEST(Kineto, DeepNestingIsNotARecursion) {
  std::vector<std::string> events;
  for (int i = 0; i < 20'000; ++i) {
    events.push_back(
        Range("r", std::to_string(i), std::to_string(50000 - 2 * i)));
    events.push_back(Complete("python_function", "nn.Module: M_0",
                              std::to_string(i),
                              std::to_string(50000 - 2 * i)));
  }
  const LoadedTrace t = LoadTrace(events);
  EXPECT_GT(t.profile.nodes().size(), 0u);
}

// As unitrace writes it: calls and work of devices, and arrows between them.
std::string UnitraceCall(std::string_view name, int start, int duration,
                         int id) {
  return fmt::format(
      R"({{"ph":"X","tid":5,"pid":1,"name":"{}","cat":"cpu_op","ts":{},)"
      R"("dur":{},"id":{}}})",
      name, start, duration, id);
}
std::string UnitraceWork(std::string_view name, int64_t device, int start,
                         int duration, int id) {
  return fmt::format(
      R"({{"ph":"X","tid":7,"pid":{},"name":"{}","cat":"gpu_op","ts":{},)"
      R"("dur":{},"args":{{"id":"{}"}}}})",
      device, name, start, duration, id);
}
std::string UnitraceFlow(int start, int id) {
  return fmt::format(
      R"({{"ph":"s","tid":5,"pid":1,"name":"dep","cat":"Flow_H2D_{}_0",)"
      R"("ts":{},"id":{}}})",
      id, start, id);
}
std::string UnitraceDevice(int64_t pid, std::string_view address) {
  return fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"ts":0,)"
                     R"("args":{{"name":"DEVICE<Max 1550>[{}]"}}}})",
                     pid, address);
}

TEST(KinetoTest, WorkOfUnitraceIsOnItsDevices) {
  constexpr int64_t kFirst = 4'294'967'200, kSecond = 4'294'967'199;
  const LoadedTrace trace =
      LoadTrace({UnitraceDevice(kFirst, "0000:3a:00.0"),
                 UnitraceDevice(kSecond, "0000:29:00.0"),
                 UnitraceCall("zeCommandListAppendMemoryCopy", 90, 5, 2),
                 UnitraceCall("zeCommandQueueExecuteCommandLists", 100, 10, 0),
                 UnitraceFlow(100, 11), UnitraceFlow(100, 12),
                 UnitraceCall("aten::mm", 300, 10, 0),
                 UnitraceWork("gemm[SIMD32 {108; 1; 1} {256; 1; 1}]", kFirst,
                              120, 40, 11),
                 UnitraceWork("gemm[SIMD32 {54; 1; 1} {256; 1; 1}]", kSecond,
                              170, 30, 12),
                 UnitraceWork("zeCommandListAppendMemoryCopy(M2D)[64 bytes]",
                              kFirst, 97, 7, 2),
                 UnitraceWork("lonely", kFirst, 400, 3, 99)});
  const auto sums = trace.ByName();
  EXPECT_EQ(sums.at("zeCommandQueueExecuteCommandLists").accelerator, 70'000);
  EXPECT_EQ(sums.at("zeCommandListAppendMemoryCopy").accelerator, 7'000);
  EXPECT_EQ(sums.at("aten::mm").cpu, 10'000);
  const profile::Profile& profile = trace.profile;
  std::vector<std::string> work;
  for (const auto& step : profile.steps()) {
    for (size_t e = 0; e < step->num_executions(); ++e) {
      const profile::Lane& lane = profile.lanes()[step->LaneOf(e)];
      if (lane.thread >= 0) continue;
      const auto record = static_cast<profile::RecordRef>(step->exec_record[e]);
      work.push_back(fmt::format(
          "{} {} {} {}", profile.lanes().physical(lane.physical).label,
          profile.Text(record).name, profile.TransferOf(record).bytes,
          profile.Arguments(record).back().second));
    }
  }
  EXPECT_THAT(work, ::testing::UnorderedElementsAre(
                        "xpu:1 gemm -1 SIMD32 {108; 1; 1} {256; 1; 1}",
                        "xpu:0 gemm -1 SIMD32 {54; 1; 1} {256; 1; 1}",
                        "xpu:1 zeCommandListAppendMemoryCopy(M2D) 64 64 bytes",
                        "xpu:1 lonely -1 99"));
  EXPECT_EQ(profile.links().size(), 3u);
}

}  // namespace
}  // namespace tfprof::kineto
