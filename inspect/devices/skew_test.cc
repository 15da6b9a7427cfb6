#include "inspect/devices/skew.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "timeline/ranks/same_steps.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// When a rank computed, and when it was in the all-reduce of a step.
struct InStep {
  int64_t begin;
  int64_t arrives;
  int64_t end;
  int64_t step;
};

// `ahead` is how far the clock of each rank is ahead.
class Ranks {
 public:
  explicit Ranks(std::vector<int64_t> ahead) : ahead_(std::move(ahead)) {}

  // The parts of one step, by rank.
  void Add(const std::vector<InStep>& parts) { steps_.push_back(parts); }
  // Each part has this name in the input.
  void Name(std::string name) { name_ = std::move(name); }

  profile::Profile Build() {
    timeline::TraceModel model(/*ticks_per_micro=*/1);
    for (size_t rank = 0; rank < ahead_.size(); ++rank) {
      model.NextRank(static_cast<int64_t>(rank));
      const profile::LaneId compute =
          model.Stream(0, 7, profile::LaneKind::kKernels);
      const profile::LaneId collective =
          model.Stream(0, 8, profile::LaneKind::kCommunication);
      for (const std::vector<InStep>& parts : steps_) {
        const InStep& part = parts[rank];
        const int64_t ahead = ahead_[rank];
        model.Add({.name = "gemm",
                   .lane = compute,
                   .start = part.begin + ahead,
                   .duration = part.arrives - part.begin,
                   .step = part.step});
        model.Add({.name = "ncclDevKernel_AllReduce",
                   .lane = collective,
                   .start = part.arrives + ahead,
                   .duration = part.end - part.arrives,
                   .step = part.step});
        model.builder().AddStep(part.step);
        if (name_.empty()) continue;
        model.builder().AddStepInterval(
            {.step = part.step,
             .process = model.process(),
             .start = (part.begin + ahead) * 1000,
             .end = (part.end + ahead) * 1000,
             .name = model.graph().strings.Intern(name_)});
      }
    }
    return std::move(model).Build();
  }

 private:
  std::vector<int64_t> ahead_;
  std::vector<std::vector<InStep>> steps_;
  std::string name_;
};

std::vector<std::string> TableRows(
    const tables::DataDocument& document, std::string_view kind,
    const std::vector<std::string_view>& columns) {
  const tables::DataTable* table = FindTable(document, kind);
  return table == nullptr ? std::vector<std::string>() : Rows(*table, columns);
}

TEST(SkewTest, TheOthersWaitForTheSlowestRank) {
  Ranks ranks({0, 0});
  ranks.Add({{0, 100, 200, 1}, {10, 180, 205, 1}});
  ranks.Add({{300, 350, 400, 2}, {310, 340, 400, 2}});
  const profile::Profile profile = ranks.Build();
  views::Views views(profile);
  const tables::DataDocument skew = SkewDocument(views, -1);
  EXPECT_EQ(Fact(skew.facts, "ranks"), "2");
  // Rank 0 waits from 100 to 180 in step 1, rank 1 from 340 to 350 in step 2.
  EXPECT_THAT(
      TableRows(skew, "parts",
                {"step", "rank", "start_micros", "end_micros",
                 "duration_micros", "waiting_micros", "waiting_share"}),
      ElementsAre("1 rank 0 0 200 200 80 0.400", "1 rank 1 10 205 195 0 0.000",
                  "2 rank 0 0 100 100 0 0.000", "2 rank 1 10 100 90 10 0.111"));
  EXPECT_THAT(
      TableRows(
          skew, "steps",
          {"step", "ranks", "start_skew_micros", "end_skew_micros",
           "shortest_micros", "longest_micros", "collectives", "slowest_rank"}),
      ElementsAre("1 2 10 5 195 200 1 rank 1", "2 2 10 0 90 100 1 rank 0"));
  EXPECT_THAT(TableRows(skew, "ranks",
                        {"rank", "steps", "slowest_steps", "mean_micros",
                         "mean_late_micros", "waiting_micros"}),
              ElementsAre("rank 0 2 1 150 0 80", "rank 1 2 1 142 10 10"));
}

TEST(SkewTest, OfEqualRanksNoneIsTheSlowest) {
  Ranks ranks({0, 0});
  ranks.Add({{0, 100, 200, 1}, {0, 100, 200, 1}});
  const profile::Profile profile = ranks.Build();
  views::Views views(profile);
  const tables::DataDocument skew = SkewDocument(views, -1);
  EXPECT_THAT(TableRows(skew, "steps", {"ranks", "slowest_rank"}),
              ElementsAre("2 "));
  EXPECT_THAT(TableRows(skew, "ranks", {"rank", "slowest_steps"}),
              ElementsAre("rank 0 0", "rank 1 0"));
}

TEST(SkewTest, OfOneStep) {
  Ranks ranks({0, 0});
  ranks.Add({{0, 100, 200, 1}, {10, 180, 205, 1}});
  ranks.Add({{300, 350, 400, 2}, {310, 340, 400, 2}});
  const profile::Profile profile = ranks.Build();
  views::Views views(profile);
  EXPECT_THAT(TableRows(SkewDocument(views, 2), "steps", {"step"}),
              ElementsAre("2"));
}

TEST(SkewTest, ClocksAreAlignedAndTheirWidthIsShown) {
  Ranks ranks({0, 5000});
  ranks.Add({{0, 100, 200, 1}, {10, 180, 205, 1}});
  const profile::Profile profile = ranks.Build();
  views::Views views(profile);
  const tables::DataDocument skew = SkewDocument(views, -1);
  // The transfer ends at 5205, after 100, and begins at 5180, before 200: the
  // offset is between -5105 and -4980, so the uncertainty is 125.
  EXPECT_THAT(
      TableRows(skew, "clocks",
                {"clock", "moved_micros", "least_micros", "most_micros",
                 "width_micros", "events"}),
      ElementsAre("rank 0 0 - - - 2", "rank 1 -5043 -5105 -4980 125 2"));
  // The start of rank 1 is 10 + 5000 - 5043.
  EXPECT_THAT(TableRows(skew, "steps", {"start_skew_micros"}),
              ElementsAre("33"));
}

// As in a session: each rank has its own steps, with one name.
TEST(SkewTest, StepsOfOneNameAreOneStep) {
  Ranks ranks({0, 0});
  ranks.Name("run 0, count 5");
  ranks.Add({{0, 100, 200, 1}, {10, 180, 205, 2}});
  const profile::Profile profile = ranks.Build();
  EXPECT_THAT(timeline::GroupSameSteps(profile, {0, 1}),
              ElementsAre(ElementsAre(0, 1)));
  views::Views views(profile);
  EXPECT_THAT(
      TableRows(SkewDocument(views, -1), "parts",
                {"step", "rank", "waiting_micros"}),
      ElementsAre("run 0, count 5 rank 0 80", "run 0, count 5 rank 1 0"));
  // Either number selects it.
  EXPECT_THAT(TableRows(SkewDocument(views, 2), "steps", {"ranks"}),
              ElementsAre("2"));
}

TEST(SkewTest, TwoStepsOfOneProcessAreTwo) {
  Ranks ranks({0});
  ranks.Name("train");
  ranks.Add({{0, 100, 200, 1}});
  ranks.Add({{300, 350, 400, 2}});
  const profile::Profile profile = ranks.Build();
  EXPECT_THAT(timeline::GroupSameSteps(profile, {0, 1}),
              ElementsAre(ElementsAre(0), ElementsAre(1)));
  views::Views views(profile);
  const tables::DataDocument skew = SkewDocument(views, -1);
  EXPECT_EQ(Fact(skew.facts, "ranks"), "0");
  EXPECT_THAT(TableRows(skew, "steps", {"step"}), IsEmpty());
  EXPECT_THAT(TableRows(skew, "clocks", {"clock"}), IsEmpty());
}

}  // namespace
}  // namespace tfprof::inspect
