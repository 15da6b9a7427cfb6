#include "loaders/chrome_json/chrome/chrome_flows.h"

#include <vector>

#include "accounting/self_time_rules.h"
#include "gtest/gtest.h"

namespace tfprof::chrome_json {
namespace {

// Track 0 has a slice from 0 to 100 with one from 10 to 20 inside. Track 1 has
// slices from 30 to 40 and from 60 to 70.
class ChromeFlowsTest : public ::testing::Test {
 protected:
  void Point(int64_t time, profile::StringId id, uint32_t track,
             bool to_next = false) {
    events_.flows.push_back(
        {.time = time, .id = id, .track = track, .to_next = to_next});
  }

  // Returns the links as (record, record), and the number of lost ends.
  std::vector<std::pair<uint64_t, uint64_t>> Links() {
    profile::ProfileBuilder builder(accounting::SelfTimeRules());
    const profile::LaneId lane = builder.mutable_graph().lanes.Add(
        {.kind = profile::LaneKind::kCompute});
    const profile::NodeId n = builder.AddNode("n", "Op", profile::kNoRecord);
    ChromeFlows flows(events_);
    const std::vector<std::vector<loaders::Span>> tracks = {
        {{0, 100}, {10, 10}}, {{30, 10}, {60, 10}}};
    std::vector<profile::LaneExecutions> executions;
    for (uint32_t t = 0; t < tracks.size(); ++t) {
      std::vector<ChromeSlice> slices;
      std::vector<profile::RecordRef> records;
      profile::LaneExecutions batch = {.lane = lane};
      for (const loaders::Span& span : tracks[t]) {
        ChromeSlice slice;
        slice.start = span.start;
        slice.duration = span.duration;
        slices.push_back(slice);
        records.push_back(10 * (t + 1) + records.size());
        batch.records.push_back({.node = n,
                                 .start = span.start,
                                 .duration = span.duration,
                                 .record = records.back()});
      }
      flows.BindTrack(t, slices, loaders::Nest(tracks[t]), records);
      executions.push_back(std::move(batch));
    }
    builder.AddExecutions(0, std::move(executions), {});
    builder.FinishStep(0);
    lost_ = flows.AddLinks(builder);
    const profile::Profile profile = std::move(builder).Build();
    const profile::Step& step = *profile.FindStep(0);
    std::vector<std::pair<uint64_t, uint64_t>> links;
    for (size_t i = 0; i < profile.links().size(); ++i) {
      const profile::Link link = profile.links()[i];
      links.push_back({static_cast<uint64_t>(step.exec_record[link.from.index]),
                       static_cast<uint64_t>(step.exec_record[link.to.index])});
    }
    return links;
  }

  using Expected = std::vector<std::pair<uint64_t, uint64_t>>;
  ChromeEvents events_;
  int64_t lost_ = 0;
};

TEST_F(ChromeFlowsTest, FromTheInnermostSliceToTheNextOne) {
  Point(15, 1, 0);
  Point(30, 1, 1, /*to_next=*/true);
  EXPECT_EQ(Links(), (Expected{{11, 20}}));
  EXPECT_EQ(lost_, 0);
}

TEST_F(ChromeFlowsTest, ToTheSliceAround) {
  Point(50, 1, 0);
  Point(65, 1, 1);
  EXPECT_EQ(Links(), (Expected{{10, 21}}));
}

TEST_F(ChromeFlowsTest, AChainInTheOrderOfTime) {
  Point(62, 7, 1);
  Point(35, 7, 1);
  Point(5, 7, 0);
  EXPECT_EQ(Links(), (Expected{{10, 20}, {20, 21}}));
}

TEST_F(ChromeFlowsTest, EndsWithoutASliceAndOtherIds) {
  Point(15, 1, 0);
  Point(35, 2, 1);
  Point(200, 3, 0);
  Point(45, 3, 1);
  EXPECT_EQ(Links(), Expected{});
  EXPECT_EQ(lost_, 2);
}

TEST_F(ChromeFlowsTest, NoArrows) { EXPECT_EQ(Links(), Expected{}); }

}  // namespace
}  // namespace tfprof::chrome_json
