#include "loaders/chrome_json/kineto/replays/replay_nodes.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/chrome_json/kineto/kineto_testing.h"
#include "profile/steps/step.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Sums = LoadedTrace::Sums;

constexpr std::string_view kRank0 = R"("distributedInfo":{"rank":0})";

std::string Python(std::string_view name, std::string_view start,
                   std::string_view duration) {
  return Complete("python_function", name, start, duration);
}

// A capture of two layers; their kernels are "gemm" and "norm".
std::string CaptureOf(std::string_view annotation,
                      std::string_view members = kRank0) {
  std::vector<std::string> events = {
      Python("run.py(1): main", "1", "900"),
      // Ran while the graph was captured.
      Op("aten::fill_", "2", "5"),
      Launch("hipLaunchKernel", "3", "1", 1),
      OnStream("kernel", "fill", "8", "50", 7, 1),
      Python("nn.Module: Runner_0", "10", "800"),
      Launch("hipStreamBeginCapture", "20", "1", 2),
      Launch("hipStreamEndCapture", "200", "1", 9),
  };
  if (!annotation.empty()) {
    events.push_back(Complete("user_annotation", annotation, "1", "950"));
  }
  for (int layer = 0; layer < 2; ++layer) {
    const int at = 30 + 50 * layer;
    const auto time = [&](int offset) { return std::to_string(at + offset); };
    const auto call = [&](int offset, std::string_view kernel) {
      events.push_back(Complete(
          "cuda_runtime", "hipLaunchKernel", time(offset), "1",
          fmt::format(R"("correlation":{},"kernel":"{}")", at, kernel)));
    };
    events.push_back(
        Python(fmt::format("nn.Module: Layer_{}", layer), time(0), "40"));
    events.push_back(
        Op("aten::mm", time(2), "10", R"("Input Dims":[[4,8],[8,8]])"));
    call(4, "gemm");
    events.push_back(Op("aten::norm", time(20), "10"));
    call(22, "norm");
  }
  return Trace(events, members);
}

// A step that replays the kernels, in a module.
std::string RunOf(const std::vector<std::string>& kernels,
                  std::string_view members = kRank0,
                  std::string_view step = "step[DECODE bs=2]") {
  std::vector<std::string> events = {
      Range(step, "1000", "100"),
      Python("nn.Module: Engine_0", "1001", "90"),
      Op("aten::copy_", "1002", "10"),
      Launch("hipMemcpyAsync", "1003", "2", 1),
      OnStream("gpu_memcpy", "Memcpy HtoD", "1010", "2", 7, 1),
      Launch("hipGraphLaunch", "1020", "5", 2),
  };
  for (size_t i = 0; i < kernels.size(); ++i) {
    events.push_back(OnStream("kernel", kernels[i],
                              std::to_string(1100 + 10 * i), "8", 7, 2));
  }
  return Trace(events, members);
}

std::vector<std::string> AllKernels() {
  return {"gemm", "norm", "gemm", "norm"};
}

LoadedTrace Load(
    const std::vector<std::pair<std::string, std::string>>& files) {
  return LoadTraces(files);
}

TEST(ReplayNodes, KernelsBelongToTheOperatorsThatCapturedThem) {
  const LoadedTrace t = Load({{"run.json", RunOf(AllKernels())},
                              {"capture.json", CaptureOf("capture_4_FULL")}});
  // Modules around the replay, then those that the capture entered.
  EXPECT_EQ(t.ByName().at("Engine_0/Layer_0/aten::mm"), (Sums{1, 0, 8000}));
  EXPECT_EQ(t.ByName().at("Engine_0/Layer_1/aten::norm"), (Sums{1, 0, 8000}));
  EXPECT_EQ(t.ScopeOf("Engine_0/Layer_1/aten::norm"), "Engine_0|Layer_1");
  EXPECT_EQ(t.ByName().at("Engine_0/hipGraphLaunch"), (Sums{1, 5000, 0}));
  // The capture has no time of its own, and is no rank.
  int64_t accelerator = 0;
  for (const auto& [name, sums] : t.ByName()) accelerator += sums.accelerator;
  EXPECT_EQ(accelerator, 34'000);
  EXPECT_EQ(t.ByName().count("capture_4_FULL/aten::fill_"), 0u);
  EXPECT_EQ(t.profile.lanes().num_processes(), 1u);
  // It has what the replay has not: shapes and call stacks.
  const profile::NodeId mm = t.Find("Engine_0/Layer_0/aten::mm");
  ASSERT_EQ(t.profile.Attributes(mm).size(), 1u);
  EXPECT_EQ(t.profile.Attributes(mm)[0].first, "input_shapes");
  EXPECT_THAT(t.StackOf("Engine_0/Layer_0/aten::mm"),
              ElementsAre("run.py:1 main"));
  // The launch calls them.
  const profile::NodeTable& nodes = t.profile.nodes();
  EXPECT_EQ(nodes.num_inputs(t.Find("Engine_0/hipGraphLaunch")), 4u);
}

TEST(ReplayNodes, ReplaysAreCounted) {
  const LoadedTrace named = Load({{"capture.json", CaptureOf("capture_4_FULL")},
                                  {"run.json", RunOf(AllKernels())}});
  ASSERT_EQ(named.profile.graph_replays().size(), 1u);
  const profile::GraphReplay row = named.profile.graph_replays()[0];
  EXPECT_EQ(row, (profile::GraphReplay{
                     .step = 0, .launches = 1, .kernels = 4, .time = 32'000}));
  const LoadedTrace alone = Load({{"run.json", RunOf(AllKernels())}});
  ASSERT_EQ(alone.profile.graph_replays().size(), 1u);
  EXPECT_EQ(alone.profile.graph_replays()[0].unnamed_time, 32'000);
  EXPECT_EQ(alone.profile.graph_replays()[0].unnamed_launches, 1);
  EXPECT_EQ(alone.profile.graph_replays()[0].unnamed_kernels, 4);
  EXPECT_EQ(alone.ByName().at("Engine_0/hipGraphLaunch"),
            (Sums{1, 5000, 32'000}));
}

TEST(ReplayNodes, WhatIsNotSureStaysWithTheLaunch) {
  const auto unnamed = [](const std::string& run, const std::string& capture) {
    const LoadedTrace t = Load({{"run.json", run}, {"capture.json", capture}});
    return t.profile.graph_replays().at(0).unnamed_kernels;
  };
  const std::string capture = CaptureOf("capture_4_FULL");
  EXPECT_EQ(unnamed(RunOf(AllKernels()), capture), 0);
  // Other kernels, a larger batch, another process.
  EXPECT_EQ(unnamed(RunOf({"gemm", "gemm", "norm", "other"}), capture), 4);
  EXPECT_EQ(unnamed(RunOf(AllKernels(), kRank0, "step[DECODE bs=5]"), capture),
            4);
  EXPECT_EQ(
      unnamed(RunOf(AllKernels(), R"("distributedInfo":{"rank":1})"), capture),
      4);
}

TEST(ReplayNodes, EachRankHasItsCaptures) {
  constexpr std::string_view kRank1 = R"("distributedInfo":{"rank":1})";
  const LoadedTrace t =
      Load({{"a.json", RunOf(AllKernels())},
            {"b.json", RunOf({"gemm", "norm", "gemm", "late"}, kRank1)},
            {"c.json", CaptureOf("capture_4_FULL")}});
  EXPECT_EQ(t.profile.lanes().num_processes(), 2u);
  ASSERT_EQ(t.profile.graph_replays().size(), 2u);
  EXPECT_EQ(t.profile.graph_replays()[0].unnamed_kernels, 0);
  EXPECT_EQ(t.profile.graph_replays()[1].unnamed_kernels, 4);
}

TEST(ReplayNodes, AFileAloneIsAnExecution) {
  const LoadedTrace t = Load({{"capture.json", CaptureOf("capture_4_FULL")}});
  EXPECT_EQ(t.ByName().at("capture_4_FULL/aten::fill_").accelerator, 50'000);
  EXPECT_THAT(t.profile.graph_replays(), IsEmpty());
}

TEST(ReplayNodes, NodesOfAGraphMayHaveNames) {
  const auto kernel = [](std::string_view start, int correlation,
                         std::string_view name) {
    return fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":{},)"
        R"("dur":4,"args":{{"device":0,"stream":7,"correlation":{},)"
        R"("graph node id":9{}}}}})",
        start, correlation,
        name.empty() ? "" : fmt::format(R"(,"name":"{}")", name));
  };
  const LoadedTrace t = LoadTrace({
      Launch("cudaGraphLaunch", "1", "2", 7), kernel("10", 7, "layers.0.mlp"),
      kernel("20", 7, ""),
      kernel("30", 8, "layers.1.mlp"),  // its launch is not in the file
      Op("aten::mm", "40", "9"), Launch("cudaLaunchKernel", "41", "2", 9),
      kernel("50", 9, "mine"),  // of no replay
  });
  EXPECT_EQ(t.ByName().at("layers.0.mlp").accelerator, 4000);
  EXPECT_EQ(t.ByName().at("cudaGraphLaunch").accelerator, 4000);
  EXPECT_EQ(t.ByName().at("(launch not in the file)/layers.1.mlp").accelerator,
            4000);
  EXPECT_EQ(t.ByName().at("aten::mm").accelerator, 4000);
  ASSERT_EQ(t.profile.graph_replays().size(), 1u);
  EXPECT_EQ(t.profile.graph_replays()[0].kernels, 2);
  EXPECT_EQ(t.profile.graph_replays()[0].unnamed_kernels, 1);
}

}  // namespace
}  // namespace tfprof::kineto
