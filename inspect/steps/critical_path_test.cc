#include "inspect/steps/critical_path.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "inspect/steps/timeline_table.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {
namespace critical_path_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Step 1: a launch, a kernel, and a parallel collective that ends later.
profile::Profile Small() {
  timeline::TraceModel model;
  const profile::NodeId mm = model.Op("aten::mm"),
                        reduce = model.Op("all_reduce");
  const auto launched = [&](profile::NodeId node, int64_t start) {
    return model.Add({.name = "cudaLaunchKernel",
                      .node = node,
                      .lane = model.Launches(),
                      .start = start,
                      .duration = 1'000,
                      .step = 1});
  };
  model.Add({.name = "gemm",
             .node = mm,
             .lane = model.Stream(0, 7, profile::LaneKind::kKernels),
             .start = 2'000,
             .duration = 6'000,
             .step = 1,
             .launch = launched(mm, 0)});
  model.Add({.name = "nccl",
             .node = reduce,
             .lane = model.Stream(0, 20, profile::LaneKind::kCommunication),
             .start = 5'000,
             .duration = 5'000,
             .step = 1,
             .launch = launched(reduce, 1'000)});
  return std::move(model).Build();
}

const tables::DataTable& Part(const tables::DataDocument& document,
                              std::string_view kind) {
  for (const tables::DataDocument::Part& part : document.parts) {
    if (part.table.kind == kind) return part.table;
  }
  ADD_FAILURE() << "no part " << kind;
  return document.parts.front().table;
}

TEST(CriticalPathDocumentTest, KindsOperationsAndSegments) {
  const profile::Profile profile = Small();
  views::Views views(profile);
  const auto document = CriticalPathDocument(views, 1, {}, 0, "all");
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_EQ(Fact(document->facts, "span_micros"), "10.000");
  EXPECT_EQ(Fact(document->facts, "path_micros"), "10.000");
  EXPECT_THAT(
      Rows(Part(*document, "kinds"), {"kind", "micros", "segments"}),
      ElementsAre("transfer 5.000 1", "launch 2.000 2", "wait 3.000 1"));
  EXPECT_THAT(Rows(Part(*document, "operations"),
                   {"op", "path_micros", "all_micros", "min_slack_micros"}),
              ElementsAre("all_reduce 6.000 6.000 0.000",
                          "aten::mm 1.000 7.000 0.000"));
  EXPECT_THAT(
      Rows(Part(*document, "segments"), {"start_micros", "kind", "op"}),
      ElementsAre("0.000 launch aten::mm", "1.000 launch all_reduce",
                  "2.000 wait before all_reduce", "5.000 transfer all_reduce"));
}

TEST(CriticalPathDocumentTest, RowsAreLimitedAndCounted) {
  const profile::Profile profile = Small();
  views::Views views(profile);
  const auto document = CriticalPathDocument(views, -1, {}, 1, "all");
  ASSERT_TRUE(document.ok()) << document.status();
  const tables::DataTable& segments = Part(*document, "segments");
  EXPECT_EQ(segments.num_rows, 1u);
  EXPECT_EQ(segments.total_rows, 4u);
  EXPECT_EQ(segments.rest, "all");
  EXPECT_THAT(Column(segments, "kind"), ElementsAre("transfer"));  // longest
}

TEST(CriticalPathDocumentTest, WhatIfEachAndAll) {
  const profile::Profile profile = Small();
  views::Views views(profile);
  const std::vector<WhatIf> what_if = {*ParseWhatIf("all_reduce=5x"),
                                       *ParseWhatIf("aten::.*=2")};
  const auto document = CriticalPathDocument(views, 1, what_if, 0, "");
  ASSERT_TRUE(document.ok()) << document.status();
  // The collective begins 4 after its launch, the kernel 2 after its own.
  EXPECT_THAT(
      Rows(Part(*document, "what_if"), {"what_if", "span_micros", "segments"}),
      ElementsAre("all_reduce=5x 8.000 2", "aten::.*=2x 9.500 2",
                  "all_reduce=5x, aten::.*=2x 5.500 4"));
}

TEST(CriticalPathDocumentTest, NothingToShow) {
  const profile::Profile profile;
  views::Views views(profile);
  EXPECT_THAT(
      std::string(
          CriticalPathDocument(views, -1, {}, 0, "").status().message()),
      HasSubstr("no execution"));
  EXPECT_FALSE(TimelineDocument(views, -1, {}, 0, "").ok());
}

TEST(WhatIfTest, WordsAndErrors) {
  EXPECT_EQ(FormatWhatIf(*ParseWhatIf("a=b=1.5x")), "a=b=1.5x");
  for (const char* wrong : {"", "MatMul", "MatMul=", "=2x", "MatMul=0x",
                            "MatMul=-1", "MatMul=nan", "(=2x"}) {
    EXPECT_FALSE(ParseWhatIf(wrong).ok()) << wrong;
  }
}

TEST(TimelineDocumentTest, OverlapExposedAndIdle) {
  const profile::Profile profile = Small();
  views::Views views(profile);
  const auto document = TimelineDocument(views, 1, {}, 0, "");
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_THAT(
      Rows(
          Part(*document, "devices"),
          {"device", "wall_micros", "busy_micros", "compute_micros",
           "communication_micros", "overlap_micros",
           "exposed_communication_micros", "idle_micros", "other_idle_micros"}),
      ElementsAre("gpu:0 10.000 8.000 6.000 5.000 3.000 2.000 2.000 2.000",
                  "cpu:0 10.000 2.000 2.000 0.000 0.000 0.000 8.000 -"));
}

}  // namespace critical_path_test
}  // namespace
}  // namespace tfprof::inspect
