#include "loaders/chrome_json/ort/ort.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "loaders/onnx/onnx_testing.h"

namespace tfprof::chrome_json {
namespace {
namespace ort_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string Event(std::string_view category, std::string_view name, int start,
                  int duration, std::string_view args = "", int thread = 8) {
  return fmt::format(
      R"({{"cat" : "{}","pid" :7,"tid" :{},"dur" :{},"ts" :{},"ph" : "X",)"
      R"("name" :"{}","args" : {{{}}}}},)"
      "\n",
      category, thread, duration, start, name, args);
}
std::string Node(std::string_view name, std::string_view op, int start,
                 int duration, std::string_view args = "", int thread = 8) {
  std::string all = fmt::format(R"("op_name" : "{}")", op);
  if (!args.empty()) all.append(",").append(args);
  return Event("Node", fmt::format("{}_kernel_time", name), start, duration,
               all, thread);
}
std::string ModelRun(int start, int duration) {
  return Event("Session", "model_run", start, duration);
}

class OrtTest : public loaders::FolderTest {
 protected:
  absl::StatusOr<loaders::Loaded> LoadEvents(const std::string& events) {
    return loaders::LoadFiles({WriteEvents(events)});
  }
  std::string WriteEvents(const std::string& events) {
    return Write("ort.json", "[\n" + events.substr(0, events.size() - 2) + "]");
  }
  static profile::NodeId Find(const profile::Profile& profile,
                              std::string_view name) {
    return profile.nodes().Find(profile.strings().Find(name));
  }
  static std::string OpOf(const profile::Profile& profile, profile::NodeId n) {
    return std::string(profile.strings().Get(profile.nodes().op[n]));
  }
  // Returns the times in nanoseconds by node name.
  static std::map<std::string, int64_t> Times(const profile::Profile& profile,
                                              int64_t step) {
    std::map<std::string, int64_t> times;
    for (const auto& s : profile.steps()) {
      if (s->id != step) continue;
      for (size_t g = 0; g < s->num_groups(); ++g) {
        const auto n = static_cast<profile::NodeId>(s->node[g]);
        times[std::string(profile.node_name(n))] = s->sums.Time(g);
      }
    }
    return times;
  }
};

TEST_F(OrtTest, ARunIsAStep) {
  const auto loaded =
      LoadEvents(Event("Session", "session_initialization", 1, 3) +
                 Node("/a/Conv", "Conv", 11, 13) + ModelRun(10, 20) +
                 Node("/a/Conv", "Conv", 41, 2) + ModelRun(40, 5));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->sources[0].format, "ONNX Runtime profile");
  const profile::Profile& profile = loaded->profile;
  EXPECT_THAT(Times(profile, 0), ElementsAre(Pair("a/Conv", 13000),
                                             Pair("session/model_run", 7000)));
  EXPECT_THAT(Times(profile, 1), ElementsAre(Pair("a/Conv", 2000),
                                             Pair("session/model_run", 3000)));
  EXPECT_THAT(Times(profile, profile::kOutsideSteps),
              ElementsAre(Pair("session/session_initialization", 3000)));
  ASSERT_EQ(profile.step_intervals().size(), 2u);
  EXPECT_EQ(profile.step_intervals()[1].start, 40000);
  EXPECT_EQ(profile.step_intervals()[1].end, 45000);
  EXPECT_FALSE(loaded->log.damaged());
}

TEST_F(OrtTest, OperationsOnOtherThreadsOfARun) {
  const auto loaded =
      LoadEvents(Node("a", "Add", 11, 5, "", /*thread=*/9) + ModelRun(10, 20) +
                 Node("a", "Add", 35, 5, "", /*thread=*/9));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Times(loaded->profile, 0),
              ElementsAre(Pair("a", 5000), Pair("session/model_run", 20000)));
  EXPECT_THAT(Times(loaded->profile, profile::kOutsideSteps),
              ElementsAre(Pair("a", 5000)));
  EXPECT_EQ(loaded->profile.lanes().size(), 2u);
}

TEST_F(OrtTest, RunsOfSeveralThreadsAtOnce) {
  const auto loaded =
      LoadEvents(Event("Session", "model_run", 0, 20, "", 8) +
                 Event("Session", "model_run", 5, 20, "", 9) +
                 Node("a", "Add", 6, 2, "", 8) + Node("a", "Add", 7, 3, "", 9));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Times(loaded->profile, 0)["a"], 2000);
  EXPECT_EQ(Times(loaded->profile, 1)["a"], 3000);
}

TEST_F(OrtTest, SizesFloatOperationsAndBytesInUse) {
  const auto loaded = LoadEvents(
      Node("a/MatMul", "MatMul", 11, 5,
           R"("output_size" : "64","input_type_shape" : [{"float":[2,8]}],)"
           R"("output_type_shape" : [{"float":[2,4]}],)"
           R"("mem_bytes_in_use" : "500")") +
      ModelRun(10, 20));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  const profile::NodeId n = Find(profile, "a/MatMul");
  EXPECT_EQ(profile.nodes().FloatOps(n), 2 * 2 * 4 * 8);
  const profile::Step& step = *profile.FindStep(0);
  EXPECT_EQ(step.sums.output_bytes[step.FindGroup(n)], 64);
  ASSERT_EQ(profile.counters().size(), 1u);
  EXPECT_THAT(profile.counters()[0].value, ElementsAre(500));
  EXPECT_EQ(profile.counters()[0].time[0], 16000);
}

TEST_F(OrtTest, KernelsCountForTheirOperations) {
  const std::string cuda = R"("provider" : "CUDAExecutionProvider")";
  const auto loaded = LoadEvents(
      Node("a", "Gemm", 11, 5, cuda) +
      Event("Kernel", "sgemm", 14, 9,
            R"("stream" : "7","parent_name" : "a_kernel_time")", -1) +
      ModelRun(10, 10) +
      Event("Kernel", "sgemm", 30, 2,
            R"("stream" : "7","parent_name" : "a_kernel_time")", -1) +
      Event("Kernel", "alone", 40, 1, R"("stream" : "7")", -1));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  const profile::Step& step = *profile.FindStep(0);
  const size_t a = step.FindGroup(Find(profile, "a"));
  EXPECT_EQ(step.sums.cpu_time[a], 5000);
  EXPECT_EQ(step.sums.accelerator_time[a], 11000);
  EXPECT_EQ(step.sums.run_count[a], 1);
  EXPECT_THAT(Times(profile, profile::kOutsideSteps),
              ElementsAre(Pair("kernels/alone", 1000)));
  EXPECT_EQ(Count(*loaded, "kernel without its operation"), 1);
  profile::LaneKind kinds[3] = {};
  ASSERT_EQ(profile.lanes().size(), 3u);
  for (profile::LaneId l = 0; l < 3; ++l) kinds[l] = profile.lanes()[l].kind;
  EXPECT_THAT(kinds,
              ::testing::UnorderedElementsAre(profile::LaneKind::kCompute,
                                              profile::LaneKind::kLaunches,
                                              profile::LaneKind::kKernels));
}

TEST_F(OrtTest, NamesWithoutAModel) {
  const auto loaded = LoadEvents(
      Node("/l.0/norm1/Mul/LayerNormFusion/", "LayerNormalization", 11, 1) +
      Node("Flatten_9", "Flatten", 12, 1) + ModelRun(10, 20));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  const profile::NodeId fused = Find(profile, "l.0/norm1/Mul/LayerNormFusion");
  ASSERT_NE(fused, profile::kNone);
  EXPECT_EQ(OpOf(profile, fused), "LayerNormalization");
  const profile::Scopes::Entry& scope =
      profile.graph().scopes[profile.nodes().scope[fused]];
  EXPECT_EQ(profile.strings().Get(scope.name), "norm1");
  EXPECT_NE(Find(profile, "Flatten_9"), profile::kNone);
}

TEST_F(OrtTest, OperationsOfAModel) {
  onnx::OnnxMaker maker;
  maker.Initializer("w", {16, 3, 3, 3});
  maker.Node("/net/conv/Conv", "Conv", {"x", "w"}, {"c0"});
  maker.Node("/net/relu/Relu", "Relu", {"c0"}, {"r0"});
  maker.Node("/net/norm/Mul", "Mul", {"r0"}, {"m"});
  maker.Node("/net/fc/Gemm", "Gemm", {"m"}, {"y"});
  const std::string model = Write("model.onnx", maker.Model());
  const auto loaded = loaders::LoadFiles(
      {WriteEvents(
           Node("r0_nchwc", "Conv", 11, 5,
                R"("input_type_shape" : [{"float":[1,3,8,8]}],)"
                R"("output_type_shape" : [{"float":[1,16,8,8]}])") +
           Node("/net/fc/Gemm", "Gemm", 16, 1) +
           Node("/net/norm/Mul/LayerNormFusion/", "LayerNormalization", 17, 1) +
           Node("ReorderOutput", "ReorderOutput", 18, 1) + ModelRun(10, 20)),
       model});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  const auto times = Times(profile, 0);
  EXPECT_EQ(times.at("net/conv/Conv"), 5000);
  EXPECT_EQ(times.at("net/fc/Gemm"), 1000);
  // The size of the weights comes from the model.
  EXPECT_EQ(profile.nodes().FloatOps(Find(profile, "net/conv/Conv")),
            2 * 16 * 8 * 8 * 27);
  // The optimizer made it, in the scope of the operation that it fused.
  EXPECT_EQ(times.at("net/norm/LayerNormFusion"), 1000);
  EXPECT_EQ(times.at("ReorderOutput"), 1000);
  EXPECT_EQ(Count(*loaded, "operations found in the ONNX model"), 1);
}

TEST_F(OrtTest, FencesAreSkipped) {
  const auto loaded = LoadEvents(
      Event("Node", "a_fence_before", 11, 0, R"("op_name" : "Add")") +
      Node("a", "Add", 11, 1) + ModelRun(10, 20));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Count(*loaded, "fence of ONNX Runtime skipped"), 1);
  EXPECT_EQ(Times(loaded->profile, 0)["a"], 1000);
}

TEST_F(OrtTest, ArgumentsOfAnExecution) {
  const auto loaded = LoadEvents(
      Node("a", "Add", 11, 1, R"("parameter_size" : "12")") + ModelRun(10, 20));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  const profile::Step& step = *profile.FindStep(0);
  const size_t exec = step.exec_begin(step.FindGroup(Find(profile, "a")));
  const profile::RecordRef record =
      static_cast<profile::RecordRef>(step.exec_record[exec]);
  EXPECT_THAT(
      profile.Arguments(record),
      ElementsAre(Pair("op_name", "Add"), Pair("parameter_size", "12")));
  EXPECT_EQ(profile.Text(record).name, "a_kernel_time");
}

TEST_F(OrtTest, FilesThatAreNoProfiles) {
  EXPECT_THAT(Error(loaders::LoadFlagged(
                  {{"ort_path", Write("x", R"([{"ph":"X","ts":1}])")}})),
              HasSubstr("found chrome trace, expected ONNX Runtime profile"));
  EXPECT_GT(OrtFit(R"([{"cat":"Node","name":"a_kernel_time"}])"), 0);
  EXPECT_EQ(OrtFit(R"({"traceEvents":[{"name":"a_kernel_time"}]})"), 0);
  EXPECT_EQ(OrtFit(R"([{"name":"a"}])"), 0);
  EXPECT_EQ(OrtFit(""), 0);
}

}  // namespace ort_test
}  // namespace
}  // namespace tfprof::chrome_json
