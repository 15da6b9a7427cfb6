#include "inspect/devices/devices.h"

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(DevicesTest, BusyTimeIsAUnion) {
  const profile::Profile profile = TwoSteps();
  views::Views views(profile);
  const tables::DataTable table = DevicesTable(views, -1);
  EXPECT_THAT(Rows(table, {"kind", "nodes", "executions", "busy_micros",
                           "busy_share", "node_peak_bytes"}),
              ElementsAre("cpu 2 4 70 0.778 40"));
  EXPECT_EQ(Fact(table, "sums of"), "everything in the file");
}

TEST(DevicesTest, OfOneStep) {
  const profile::Profile profile = TwoSteps();
  views::Views views(profile);
  const tables::DataTable table = DevicesTable(views, 7);
  EXPECT_THAT(Rows(table, {"executions", "busy_micros", "node_peak_bytes"}),
              ElementsAre("1 40 40"));
  EXPECT_EQ(Fact(table, "sums of"), "work that was launched in step 7");
  EXPECT_EQ(Fact(table, "step"), "7");
}

TEST(DevicesTest, NodesAreCountedWithoutExecutions) {
  profile::ProfileBuilder builder(accounting::TfprofRules(), TwoSteps());
  builder.AddStep(8);
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  EXPECT_THAT(
      Rows(DevicesTable(views, 8), {"nodes", "executions", "busy_share"}),
      ElementsAre("2 0 -"));
}

TEST(DevicesTest, AProfileWithoutStepsHasNoDevices) {
  const profile::Profile profile;
  views::Views views(profile);
  EXPECT_THAT(Rows(DevicesTable(views, -1), {"name"}), IsEmpty());
}

TEST(DevicesTest, AGpuIsOneDevice) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  const tables::DataTable table = DevicesTable(views, -1);
  EXPECT_THAT(Column(table, "kind"), ElementsAre("gpu", "cpu"));
  // The CPU is also busy while it launches work of the GPU.
  EXPECT_THAT(Column(table, "busy_micros"), ElementsAre("404", "4540"));
}

TEST(DevicesTest, DevicesHaveALabelAndAName) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  EXPECT_THAT(Rows(DevicesTable(views, -1), {"label", "name"}),
              ElementsAre("gpu:0 /job:localhost/replica:0/task:0/gpu:0",
                          "cpu:0 /job:localhost/replica:0/task:0/cpu:0"));
}

TEST(DevicesTest, OnlyAcceleratorsHaveLaunches) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  EXPECT_THAT(Column(DevicesTable(views, -1), "launch_micros"),
              ElementsAre("4499", "-"));
}

TEST(DevicesTest, TheAllocatorsPeakIsTheLargestOfAllSteps) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const auto details = std::make_shared<FakeDetails>();
  for (const int64_t bytes : {500, 900, 700}) {
    profile::ExecutionDetail& detail = details->executions.emplace_back();
    detail.memory.push_back({.outputs = {}});
    detail.memory[0].allocator_bytes_in_use = bytes;
  }
  const uint32_t input = builder.AddInput(details);
  const profile::LaneId gpu =
      tensorflow::DeviceLane("/device:GPU:0", builder.mutable_graph());
  const profile::NodeId a = builder.AddNode("a", "Op", profile::kNoRecord);
  for (uint32_t step = 0; step < 3; ++step) {
    builder.AddExecutions(step,
                          {{.node = a,
                            .lane = gpu,
                            .start = 1000,
                            .duration = 5,
                            .record = profile::MakeRecordRef(input, step)}},
                          {});
  }
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  EXPECT_THAT(Column(DevicesTable(views, -1), "allocator_peak_bytes"),
              ElementsAre("900"));
  EXPECT_THAT(Column(DevicesTable(views, 2), "allocator_peak_bytes"),
              ElementsAre("700"));
}

TEST(DevicesTest, AnAllocatorWithoutRecordsHasNoPeak) {
  const profile::Profile profile = TwoSteps();
  views::Views views(profile);
  EXPECT_THAT(Column(DevicesTable(views, -1), "allocator_peak_bytes"),
              ElementsAre("-"));
}

// One GPU has a copy, then kernels on two streams with a parallel collective;
// the other GPU has only a kernel that was launched before.
profile::Profile TwoGpus(int64_t ticks_per_micro = profile::kNanosPerMicro) {
  timeline::TraceModel model(ticks_per_micro);
  model.Gpu(0, "NVIDIA H100 80GB HBM3");
  const profile::NodeId mm = model.Op("aten::mm"),
                        copy = model.Op("aten::copy_");
  const profile::LaneId host = model.Launches();
  model.Add({.name = "aten::mm",
             .node = mm,
             .lane = model.Ops(),
             .start = 1'000,
             .duration = 9'000,
             .step = 1});
  const auto launched = [&](profile::NodeId node, int64_t start) {
    return model.Add({.name = "cudaLaunchKernel",
                      .node = node,
                      .lane = host,
                      .start = start,
                      .duration = 1'000,
                      .step = 1});
  };
  model.Add({.name = "Memcpy HtoD (Pageable -> Device)",
             .node = copy,
             .lane = model.Stream(0, 7, profile::LaneKind::kCopies),
             .start = 3'000,
             .duration = 1'001,
             .step = 1,
             .launch = launched(copy, 2'000),
             .bytes = 4'096});
  model.Add({.name = "gemm",
             .node = mm,
             .lane = model.Stream(0, 7, profile::LaneKind::kKernels),
             .start = 6'000,
             .duration = 2'000,
             .step = 1,
             .launch = launched(mm, 5'000)});
  model.Add({.name = "ncclDevKernel_AllReduce",
             .node = mm,
             .lane = model.Stream(0, 20, profile::LaneKind::kCommunication),
             .start = 7'000,
             .duration = 3'000,
             .step = 1,
             .launch = launched(mm, 5'500)});
  model.Add({.name = "early",
             .lane = model.Stream(1, 7, profile::LaneKind::kKernels),
             .start = 500,
             .duration = 250,
             .step = profile::kOutsideSteps});
  return std::move(model).Build();
}

TEST(AcceleratorsTest, TimesAreExactUnions) {
  const profile::Profile profile = TwoGpus();
  views::Views views(profile);
  const tables::DataTable table = DevicesTable(views, -1);
  EXPECT_THAT(
      Rows(table,
           {"name", "kind", "executions", "busy_micros", "span_micros",
            "compute_micros", "communication_micros", "copy_micros",
            "overlap_micros", "exposed_communication_micros", "idle_micros"}),
      ElementsAre("gpu:0 gpu 3 5.001 7.000 2.000 3.000 1.001 1.000 2.000 1.999",
                  "gpu:1 gpu 1 0.250 0.250 0.250 0.000 0.000 0.000 0.000 0.000",
                  "cpu:0 cpu 4 9.000 9.000 - - - - - -"));
  EXPECT_EQ(Fact(table, "sums of"), "everything in the file");
}

TEST(AcceleratorsTest, IdleTimeIsSplit) {
  const profile::Profile profile = TwoGpus();
  views::Views views(profile);
  EXPECT_THAT(Rows(DevicesTable(views, -1),
                   {"host_bound_micros", "waiting_micros", "other_idle_micros",
                    "unlaunched_executions", "unlaunched_micros"}),
              ElementsAre("0.999 1.000 0.000 0 0.000",
                          "0.000 0.000 0.000 1 0.250", "- - - - -"));
}

TEST(AcceleratorsTest, LaunchesAndTheQueue) {
  const profile::Profile profile = TwoGpus();
  views::Views views(profile);
  EXPECT_THAT(Rows(DevicesTable(views, -1),
                   {"launches", "launch_latency_min_micros",
                    "launch_latency_median_micros", "launch_latency_max_micros",
                    "queue_max", "streams", "nodes", "launch_micros"}),
              ElementsAre("3 1.000 1.000 1.500 2 2 2 -", "0 - - - - 1 0 -",
                          "- - - - - - - 2.500"));
}

TEST(AcceleratorsTest, CopiesHaveBytesAndARate) {
  const profile::Profile profile = TwoGpus();
  views::Views views(profile);
  EXPECT_THAT(Rows(DevicesTable(views, -1),
                   {"copy_bytes", "copy_bytes_per_second", "model"}),
              ElementsAre("4096 4091908091.908 NVIDIA H100 80GB HBM3", "- - -",
                          "- - -"));
}

TEST(AcceleratorsTest, OfOneStep) {
  const profile::Profile profile = TwoGpus();
  views::Views views(profile);
  const tables::DataTable table = DevicesTable(views, 1);
  EXPECT_THAT(Column(table, "name"), ElementsAre("gpu:0", "cpu:0"));
  EXPECT_EQ(Fact(table, "sums of"), "work that was launched in step 1");
  EXPECT_EQ(Fact(table, "step"), "1");
}

TEST(AcceleratorsTest, MicrosecondsAreWholeWhereTheFileHasNoMore) {
  const profile::Profile profile = TwoGpus(/*ticks_per_micro=*/1);
  views::Views views(profile);
  EXPECT_THAT(Rows(DevicesTable(views, -1), {"busy_micros", "idle_micros"}),
              ElementsAre("5001 1999", "250 0", "9000 -"));
}

TEST(AcceleratorsTest, PicosecondsAreExact) {
  const profile::Profile profile = TwoGpus(/*ticks_per_micro=*/1'000'000);
  views::Views views(profile);
  std::vector<tables::DataCell> cells;
  const tables::DataTable table = DevicesTable(views, -1);
  table.cells(0, cells);
  EXPECT_EQ(std::get<double>(cells[2]), 0.005001);
}

TEST(AcceleratorsTest, AFileWithoutAcceleratorsHasNoColumnsOfThem) {
  timeline::TraceModel model;
  model.Add({.name = "op",
             .node = model.Op("op"),
             .lane = model.Ops(),
             .start = 10,
             .duration = 90});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const tables::DataTable table = DevicesTable(views, -1);
  EXPECT_THAT(Rows(table, {"kind", "executions", "busy_micros", "busy_share",
                           "span_micros", "name"}),
              ElementsAre("cpu 1 0.090 1.000 0.090 cpu:0"));
  std::vector<std::string> names;
  for (const tables::DataColumn& column : table.columns)
    names.push_back(column.name);
  EXPECT_THAT(names, Not(Contains("idle_micros")));
}

}  // namespace
}  // namespace tfprof::inspect
