#include "inspect/steps/pipeline_what_if.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "timeline/ranks/pipeline_testing.h"

namespace tfprof::inspect {
namespace {
namespace pipeline_what_if_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(PipelineWhatIfDocumentTest, FactsAndTables) {
  timeline::PipelineJob job;
  job.dps = 2;
  job.stages = 1;
  job.batches = 1;
  job.steps = 2;
  job.noise = 0;
  // 300 instead of 100 of 463 ms, and 200 in the mean.
  job.plant = [](const timeline::PipelineJob::Where& op, double micros) {
    return op.dp == 1 && op.type == "forward-compute" ? 3 * micros : micros;
  };
  const profile::Profile profile = job.Build();
  views::Views views(profile);
  const auto document = PipelineWhatIfDocument(views);
  ASSERT_TRUE(document.ok()) << document.status();
  EXPECT_EQ(document->kind, "what_if");
  EXPECT_EQ(Fact(document->facts, "S"), "1.178");
  EXPECT_EQ(Fact(document->facts, "L"), "1.000");
  EXPECT_EQ(Fact(document->facts, "step_micros"), "663000.000");
  EXPECT_EQ(Fact(document->facts, "ideal_step_micros"), "563000.000");
  EXPECT_EQ(Fact(document->facts, "M_W"), "1.000");
  EXPECT_EQ(Fact(document->facts, "M_S"), "1.000");
  const auto rows = [&](std::string_view kind,
                        const std::vector<std::string_view>& columns) {
    const tables::DataTable* table = FindTable(*document, kind);
    EXPECT_NE(table, nullptr) << kind;
    return table == nullptr ? std::vector<std::string>()
                            : Rows(*table, columns);
  };
  EXPECT_THAT(rows("dp_ranks", {"dp", "slowdown"}),
              ElementsAre("1 1.178", "0 1.000"));
  EXPECT_THAT(rows("stages", {"stage", "slowdown"}), ElementsAre("0 1.178"));
  EXPECT_THAT(rows("workers", {"dp", "stage", "slowdown", "worst"}),
              ElementsAre("1 0 1.178 worst 3 %", "0 0 1.000 "));
  EXPECT_THAT(rows("steps", {"step", "slowdown"}),
              ElementsAre("10 1.178", "11 1.178"));
  EXPECT_EQ(rows("types", {"name", "slowdown"}).front(),
            "forward-compute 1.178");
}

TEST(PipelineWhatIfDocumentTest, WhatIsMissingIsSaid) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  const auto document = PipelineWhatIfDocument(views);
  EXPECT_TRUE(absl::IsFailedPrecondition(document.status()));
  EXPECT_THAT(std::string(document.status().message()),
              HasSubstr("no execution says its data-parallel rank"));
  EXPECT_THAT(std::string(document.status().message()),
              HasSubstr("critical_path -what_if"));
}

}  // namespace pipeline_what_if_test
}  // namespace
}  // namespace tfprof::inspect
