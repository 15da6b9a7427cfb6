#include "inspect/devices/kernels.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

profile::Profile Model() {
  timeline::TraceModel model;
  const profile::NodeId mm = model.Op("aten::mm"),
                        addmm = model.Op("aten::addmm");
  const profile::NodeId copy = model.Op("aten::copy_");
  const profile::LaneId kernels =
      model.Stream(0, 7, profile::LaneKind::kKernels);
  const profile::LaneId copies = model.Stream(0, 7, profile::LaneKind::kCopies);
  const auto ran = [&](std::string_view name, profile::NodeId node,
                       profile::LaneId lane, int64_t start, int64_t duration,
                       int64_t bytes = -1) {
    model.Add({.name = std::string(name),
               .node = node,
               .lane = lane,
               .start = start,
               .duration = duration,
               .step = start / 1000,
               .bytes = bytes});
  };
  ran("gemm", mm, kernels, 1'000, 300);
  ran("gemm", addmm, kernels, 1'400, 100);
  ran("relu", mm, kernels, 2'000, 50);
  ran("gemm", mm, model.Stream(11, 7, profile::LaneKind::kKernels), 2'000, 200);
  ran("Memcpy HtoD (Pageable -> Device)", copy, copies, 1'700, 100, 4'000);
  ran("Memset (Device)", copy, copies, 1'900, 10, 16);
  ran("ncclDevKernel", mm,
      model.Stream(0, 9, profile::LaneKind::kCommunication), 2'500, 60);
  ran("alone", profile::kNone, kernels, 2'900, 5);
  return std::move(model).Build();
}

class KernelsTest : public testing::Test {
 protected:
  tables::DataTable Table(int64_t step = -1, std::string_view device = "",
                          size_t max_rows = 0) {
    auto table = KernelsTable(views_, step, device, max_rows);
    EXPECT_TRUE(table.ok()) << table.status();
    return *std::move(table);
  }

  const profile::Profile profile_ = Model();
  views::Views views_{profile_};
};

TEST_F(KernelsTest, ARowForEachName) {
  EXPECT_THAT(
      Rows(Table(), {"name", "count", "sum_micros", "mean_micros", "min_micros",
                     "max_micros", "share"}),
      ElementsAre("gemm 3 0.600 0.200 0.100 0.300 0.727",
                  "Memcpy HtoD (Pageable -> Device) 1 0.100 0.100 0.100 0.100 "
                  "0.121",
                  "ncclDevKernel 1 0.060 0.060 0.060 0.060 0.073",
                  "relu 1 0.050 0.050 0.050 0.050 0.061",
                  "Memset (Device) 1 0.010 0.010 0.010 0.010 0.012",
                  "alone 1 0.005 0.005 0.005 0.005 0.006"));
}

TEST_F(KernelsTest, KindsAndTheOpsThatLaunchedThem) {
  EXPECT_THAT(Rows(Table(), {"kind", "ops"}),
              ElementsAre("kernel aten::mm, aten::addmm", "copy aten::copy_",
                          "communication aten::mm", "kernel aten::mm",
                          "set aten::copy_", "kernel -"));
}

TEST_F(KernelsTest, CopiesHaveBytesAndARate) {
  EXPECT_THAT(Rows(Table(), {"bytes", "bytes_per_second"}),
              ElementsAre("- -", "4000 40000000000.000", "- -", "- -",
                          "16 1600000000.000", "- -"));
}

TEST_F(KernelsTest, OfOneDevice) {
  EXPECT_THAT(Rows(Table(-1, "gpu:11"), {"name", "sum_micros"}),
              ElementsAre("gemm 0.200"));
  EXPECT_THAT(Rows(Table(-1, "11"), {"sum_micros"}), ElementsAre("0.200"));
  const auto none = KernelsTable(views_, -1, "1", 0);
  EXPECT_EQ(none.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(none.status()), HasSubstr("is: gpu:0, gpu:11"));
}

TEST_F(KernelsTest, OfOneStep) {
  EXPECT_THAT(Column(Table(2, "gpu:0"), "name"),
              ElementsAre("ncclDevKernel", "relu", "alone"));
}

TEST_F(KernelsTest, TheFirstRowsOnly) {
  const tables::DataTable table = Table(-1, "", 2);
  EXPECT_EQ(table.num_rows, 2u);
  EXPECT_EQ(table.total_rows, 6u);
  EXPECT_THAT(CellText(table.totals[0]), "0.825");
}

TEST(KernelsOfNothingTest, AProfileWithoutAccelerators) {
  const profile::Profile profile = TwoSteps();
  views::Views views(profile);
  EXPECT_THAT(Column(*KernelsTable(views, -1, "", 0), "name"), IsEmpty());
  EXPECT_THAT(Message(KernelsTable(views, -1, "gpu:0", 0).status()),
              HasSubstr("there are none"));
}

}  // namespace
}  // namespace tfprof::inspect
