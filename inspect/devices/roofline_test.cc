#include "inspect/devices/roofline.h"

#include <string>
#include <utility>
#include <vector>

#include "accounting/node_stats.h"
#include "flops/op_costs.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

profile::ArgumentList Product(int64_t size, const std::string& type) {
  const std::string n = std::to_string(size);
  return {{"Input Dims", "[[" + n + "," + n + "],[" + n + "," + n + "]]"},
          {"Input type", "[\"" + type + "\",\"" + type + "\"]"}};
}

// A large product, a small one, and the addition of a large tensor.
class RooflineTest : public testing::Test {
 protected:
  RooflineTest() {
    model_.Gpu(0, "NVIDIA H100 80GB HBM3");
    Run("aten::mm", Product(4096, "c10::BFloat16"), 0, 277'000, 1);
    Run("aten::bmm",
        {{"Input Dims", "[[1,8,8],[1,8,8]]"},
         {"Input type", "[\"float\",\"float\"]"}},
        300'000, 2'000, 1);
    Run("aten::add",
        {{"Input Dims", "[[1000000],[1000000]]"},
         {"Input type", "[\"float\",\"float\"]"}},
        400'000, 10'000, 2);
    for (const int64_t step : {1, 2}) {
      model_.builder().AddStepInterval({.step = step,
                                        .process = model_.process(),
                                        .start = (step - 1) * 400'000,
                                        .end = step * 400'000});
    }
  }
  void Run(std::string_view op, profile::ArgumentList arguments, int64_t start,
           int64_t micros, int64_t step) {
    const profile::NodeId node = model_.Op(op);
    model_.Add({.name = std::string(op),
                .node = node,
                .lane = model_.Ops(),
                .start = start,
                .duration = 1'000,
                .step = step,
                .arguments = std::move(arguments)});
    model_.Add({.name = "kernel",
                .node = node,
                .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
                .start = start + 2'000,
                .duration = micros,
                .step = step});
  }
  std::vector<std::string> Part(std::string_view kind,
                                const std::vector<std::string_view>& columns,
                                int64_t step = accounting::kAllSteps,
                                std::optional<flops::DevicePeaks> given = {},
                                size_t max_ops = 0) {
    if (!built_) profile_ = std::move(model_).Build();
    built_ = true;
    views::Views views(profile_);
    const tables::DataDocument document =
        RooflineDocument(views, step, given, max_ops);
    return Rows(*FindTable(document, kind), columns);
  }

  timeline::TraceModel model_;
  profile::Profile profile_;
  bool built_ = false;
};

TEST_F(RooflineTest, BoundsAndSharesOfThePeak) {
  EXPECT_THAT(
      Part("ops", {"op", "runs", "micros", "float_ops", "bytes_accessed",
                   "intensity", "bound", "peak_share"}),
      ElementsAre("aten::mm 1 277.000 137438953472 100663296 1365.333 compute "
                  "0.501",
                  "aten::add 1 10.000 0 12000000 0.000 memory 0.358",
                  "aten::bmm 1 2.000 1024 768 1.333 memory 0.000"));
  EXPECT_THAT(Part("ops", {"op"}, accounting::kAllSteps, {}, 1),
              ElementsAre("aten::mm"));
}

TEST_F(RooflineTest, PeaksOfTheModel) {
  EXPECT_THAT(Part("peaks", {"model", "devices", "peak_flops_per_second",
                             "peak_bytes_per_second", "ridge", "peaks_from"}),
              ElementsAre("NVIDIA H100 80GB HBM3 1 989500000000000.000 "
                          "3350000000000.000 295.373 data sheets"));
}

TEST_F(RooflineTest, PeaksOfTheUser) {
  flops::DevicePeaks peaks = *flops::ParseDevicePeaks("1e15,1e10");
  EXPECT_THAT(Part("ops", {"op", "bound"}, 1, peaks),
              ElementsAre("aten::mm memory", "aten::bmm memory"));
  EXPECT_THAT(Part("peaks", {"peaks_from"}, 1, peaks),
              ElementsAre("-device_peaks"));
}

// The nodes are divided between threads.
TEST(OpCostsTest, AreTheSameOnSeveralThreads) {
  timeline::TraceModel model;
  constexpr int kRuns = 40'000, kNodes = 97, kSteps = 3;
  for (int i = 0; i < kRuns; ++i) {
    const std::string name = fmt::format("layer{}", i % kNodes);
    model.Add({.name = name,
               .node = model.Op(name, i % 2 == 0 ? "aten::mm" : "aten::add"),
               .lane = model.Ops(),
               .start = i * 1'000,
               .duration = 1 + i % 7,
               .step = i % kSteps,
               .arguments = Product(1 + i % 5, "float")});
  }
  const profile::Profile profile = std::move(model).Build();
  std::vector<const profile::Step*> steps;
  for (const auto& step : profile.steps()) steps.push_back(step.get());
  const flops::OpCosts one =
      flops::ComputeOpCosts(profile, steps, {.threads = 1});
  const flops::OpCosts four =
      flops::ComputeOpCosts(profile, steps, {.threads = 4});
  EXPECT_GT(one.flops, 0);
  EXPECT_EQ(four.flops, one.flops);
  EXPECT_EQ(four.time, one.time);
  EXPECT_EQ(four.flops_of_step, one.flops_of_step);
  ASSERT_EQ(four.ops.size(), one.ops.size());
  for (size_t i = 0; i < one.ops.size(); ++i) {
    EXPECT_EQ(four.ops[i].op, one.ops[i].op);
    EXPECT_EQ(four.ops[i].runs, one.ops[i].runs);
    EXPECT_EQ(four.ops[i].known_runs, one.ops[i].known_runs);
    EXPECT_EQ(four.ops[i].bytes, one.ops[i].bytes);
    EXPECT_EQ(four.ops[i].rated.flops, one.ops[i].rated.flops);
  }
  int64_t sum = 0;
  for (size_t s = 0; s < steps.size(); ++s) {
    const profile::Step* const step = steps[s];
    EXPECT_EQ(one.flops_of_step[s],
              flops::ComputeOpCosts(profile, {&step, 1}).flops);
    sum += one.flops_of_step[s];
  }
  EXPECT_EQ(sum, one.flops);
}

TEST_F(RooflineTest, MfuOfSteps) {
  EXPECT_THAT(Part("steps", {"step", "span_micros", "float_ops", "mfu"}),
              ElementsAre("1 400.000 137438954496 0.347", "2 400.000 - -"));
}

TEST_F(RooflineTest, WithoutShapesThereIsNoRate) {
  Run("aten::mm", {}, 700'000, 50'000, 2);
  EXPECT_THAT(Part("ops",
                   {"op", "float_ops", "flops_per_second", "peak_share",
                    "unknown_runs"},
                   2),
              ElementsAre("aten::mm - - - 1", "aten::add 0 - 0.358 -"));
}

// The operation runs again in a replayed graph, as another node without calls
// of the host.
TEST_F(RooflineTest, RatesAreOfTheRunsWithShapes) {
  model_.Add({.name = "kernel",
              .node = model_.Op("graph/aten::mm", "aten::mm"),
              .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
              .start = 350'000,
              .duration = 20'000,
              .step = 1});
  EXPECT_THAT(
      Part("ops", {"op", "micros", "float_ops", "peak_share", "unrated_micros"},
           1),
      ElementsAre("aten::mm 297.000 137438953472 0.501 20.000",
                  "aten::bmm 2.000 1024 0.000 -"));
}

TEST_F(RooflineTest, WrappersDoNotCountAgain) {
  Run("aten::linear", Product(4096, "float"), 700'000, 50'000, 2);
  EXPECT_THAT(Part("ops", {"op", "float_ops"}, 2),
              ElementsAre("aten::linear -", "aten::add 0"));
}

TEST(RooflineOfAFileTest, TheStartOfACopyHasNoRate) {
  timeline::TraceModel model;
  model.kernels_are_runs = true;
  for (const std::string_view op : {"copy-start", "copy-done"}) {
    model.Add({.name = std::string(op),
               .node = model.Op(op, op),
               .lane = model.Stream(0, 7, profile::LaneKind::kKernels),
               .start = 1'000,
               .duration = 1'000,
               .arguments = {{"bytes_accessed", "5000"}}});
  }
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const tables::DataDocument document =
      RooflineDocument(views, accounting::kAllSteps, {}, 0);
  EXPECT_THAT(
      Rows(*FindTable(document, "ops"),
           {"op", "bytes_accessed", "bytes_per_second"}),
      ElementsAre("copy-done 5000 5000000000.000", "copy-start 5000 -"));
}

TEST(RooflineOfAFileTest, FiguresOfTheFile) {
  timeline::TraceModel model;
  model.kernels_are_runs = true;
  const profile::NodeId fusion = model.Op("fusion.1", "fusion");
  for (const int64_t start : {1'000, 5'000}) {
    model.Add({.name = "fusion",
               .node = fusion,
               .lane = model.Stream(0, 7, profile::LaneKind::kKernels),
               .start = start,
               .duration = 1'000,
               .arguments = {{"bytes_accessed", "5000"}}});
  }
  model.builder().SetFloatOps(fusion, 700);
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const tables::DataDocument document =
      RooflineDocument(views, accounting::kAllSteps, {}, 0);
  EXPECT_THAT(Rows(*FindTable(document, "ops"),
                   {"op", "micros", "runs", "float_ops", "bytes_accessed",
                    "intensity", "flops_per_second", "bound"}),
              ElementsAre("fusion 2.000 2 1400 10000 0.140 700000000.000 -"));
}

TEST(RooflineOfNothingTest, AnEmptyProfile) {
  const profile::Profile profile;
  views::Views views(profile);
  const tables::DataDocument document =
      RooflineDocument(views, accounting::kAllSteps, {}, 0);
  EXPECT_THAT(Rows(*FindTable(document, "ops"), {"op"}), IsEmpty());
  EXPECT_THAT(Rows(*FindTable(document, "peaks"), {"model"}), IsEmpty());
}

}  // namespace
}  // namespace tfprof::inspect
