#include "profile/profile.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/graph_testing.h"
#include "profile/profile_builder.h"

namespace tfprof::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ProfileTest, MemoryUseCountsWhatIsThere) {
  ProfileBuilder builder;
  AddNodeWithInputs(builder, "c", "Add", {"a"}, {4});
  const Profile small = std::move(builder).Build();
  size_t bytes = 0;
  std::set<std::string> names;
  for (const auto& [what, size] : small.MemoryUse()) {
    EXPECT_TRUE(names.insert(what).second) << what;
    bytes += size;
  }
  EXPECT_GT(bytes, small.nodes().size() * sizeof(StringId));
}

TEST(ProfileTest, AnEmptyProfileHasNothing) {
  const Profile profile;
  EXPECT_EQ(profile.nodes().size(), 0u);
  EXPECT_THAT(profile.steps(), IsEmpty());
  EXPECT_EQ(profile.FindStep(0), nullptr);
  EXPECT_THAT(profile.Functions(), IsEmpty());
  EXPECT_THAT(profile.OptionalTables(), IsEmpty());
  EXPECT_FALSE(profile.RanElsewhere(0));
  EXPECT_THAT(profile.NodesNamed(5), IsEmpty());
}

TEST(ProfileTest, StepsAreFoundByTheirIds) {
  ProfileBuilder builder;
  for (const int64_t step : {INT64_MIN, int64_t{0}, INT64_MAX}) {
    builder.AddStep(step);
  }
  const Profile profile = std::move(builder).Build();
  for (const auto& step : profile.steps()) {
    EXPECT_EQ(profile.FindStep(step->id), step.get());
  }
  for (const int64_t step : {int64_t{-1}, int64_t{1}, INT64_MAX - 1}) {
    EXPECT_EQ(profile.FindStep(step), nullptr) << step;
  }
}

TEST(ProfileTest, TheDeviceOfALane) {
  ProfileBuilder builder;
  GraphTables& graph = builder.mutable_graph();
  const DeviceId device = graph.devices.Intern("/cpu:0");
  const LaneId with = graph.lanes.Add({.device = device});
  const LaneId without = graph.lanes.Add({});
  const Profile profile = std::move(builder).Build();
  EXPECT_EQ(profile.device_of(with), device);
  EXPECT_EQ(profile.device_of(without), kNone);
  EXPECT_EQ(profile.device_of(kNone), kNone);
}

// ---- Records

// Returns its own name and the offset of the record.
class NamedReader : public DetailReader {
 public:
  NamedReader(std::string name, bool record_is_group)
      : name_(std::move(name)), record_is_group_(record_is_group) {}

  AttributeList Attributes(uint64_t offset) const override {
    return {{name_, Text(offset, "attributes")}};
  }
  void VisitFunctions(const std::function<void(std::string_view, uint64_t)>&
                          visit) const override {
    visit("shared", 1);
    visit(name_, 2);
  }
  FunctionBody Function(uint64_t offset) const override {
    FunctionBody body;
    body.nodes.emplace_back().name = Text(offset, "function");
    return body;
  }
  std::vector<SeenShape> OutputShapes(uint64_t offset) const override {
    return {{static_cast<int32_t>(offset), {}}};
  }
  std::vector<std::string_view> Inputs(uint64_t offset) const override {
    return {Text(offset, "inputs")};
  }
  ExecutionDetail Execution(uint64_t offset, bool on_cpu) const override {
    ExecutionDetail detail;
    detail.allocations.push_back({on_cpu, static_cast<int64_t>(offset)});
    return detail;
  }
  RecordText Text(uint64_t offset) const override {
    return {Text(offset, "text"), ""};
  }
  std::string_view NodeDef(uint64_t offset) const override {
    return Text(offset, "node");
  }
  std::string_view NodeExecStats(uint64_t offset) const override {
    return Text(offset, "stats");
  }
  bool record_is_group() const override { return record_is_group_; }

 private:
  // Returns "NAME attributes 7", valid as long as the reader.
  std::string_view Text(uint64_t offset, std::string_view what) const {
    return *texts_
                .insert(name_ + " " + std::string(what) + " " +
                        std::to_string(offset))
                .first;
  }

  const std::string name_;
  const bool record_is_group_;
  mutable std::set<std::string> texts_;
};

class RecordsTest : public ::testing::Test {
 protected:
  static Profile Make() {
    ProfileBuilder builder;
    const uint32_t graph =
        builder.AddInput(std::make_shared<NamedReader>("graph", false));
    const uint32_t log =
        builder.AddInput(std::make_shared<NamedReader>("log", true));
    builder.AddNode("a", "A", MakeRecordRef(graph, 7));
    builder.AddNode("b", "B", MakeRecordRef(log, (uint64_t{1} << 48) - 1));
    builder.AddNode("c", "C", kNoRecord);
    return std::move(builder).Build();
  }

  const Profile profile_ = Make();
  const RecordRef of_graph_ = MakeRecordRef(0, 9);
  const RecordRef of_log_ = MakeRecordRef(1, 9);
};

TEST_F(RecordsTest, AReaderIsAskedForTheRecordsOfItsInput) {
  EXPECT_THAT(profile_.Attributes(0),
              ElementsAre(Pair("graph", "graph attributes 7")));
  EXPECT_THAT(profile_.Attributes(1),
              ElementsAre(Pair("log", "log attributes 281474976710655")));
  EXPECT_THAT(profile_.Inputs(0), ElementsAre("graph inputs 7"));
  EXPECT_EQ(profile_.NodeDef(0), "graph node 7");
  EXPECT_EQ(profile_.NodeExecStats(of_log_), "log stats 9");
  EXPECT_EQ(profile_.Text(of_graph_).name, "graph text 9");
  EXPECT_EQ(profile_.OutputShapes(of_log_)[0].slot, 9);
  EXPECT_EQ(profile_.RecordDetail(of_log_, true).allocations[0].micros, 1);
  EXPECT_EQ(profile_.RecordDetail(of_log_, false).allocations[0].micros, 0);
}

TEST_F(RecordsTest, ANodeWithoutARecordHasNoDetails) {
  EXPECT_THAT(profile_.Attributes(2), IsEmpty());
  EXPECT_THAT(profile_.Inputs(2), IsEmpty());
  EXPECT_EQ(profile_.NodeDef(2), "");
}

TEST_F(RecordsTest, AnExecutionWithoutARecordHasNoDetails) {
  EXPECT_EQ(profile_.Text(kNoRecord).name, "");
  EXPECT_EQ(profile_.NodeExecStats(kNoRecord), "");
  EXPECT_THAT(profile_.OutputShapes(kNoRecord), IsEmpty());
  EXPECT_THAT(profile_.RecordDetail(kNoRecord, true).allocations, IsEmpty());
  EXPECT_FALSE(profile_.IsGroupRecord(kNoRecord));
}

TEST_F(RecordsTest, TheInputSaysWhetherARecordIsAGroup) {
  EXPECT_FALSE(profile_.IsGroupRecord(of_graph_));
  EXPECT_TRUE(profile_.IsGroupRecord(of_log_));
}

TEST_F(RecordsTest, FunctionsOfAllInputsInTheirOrder) {
  const auto functions = profile_.Functions();
  EXPECT_THAT(functions, ElementsAre(Pair("shared", MakeRecordRef(0, 1)),
                                     Pair("graph", MakeRecordRef(0, 2)),
                                     Pair("shared", MakeRecordRef(1, 1)),
                                     Pair("log", MakeRecordRef(1, 2))));
  EXPECT_EQ(profile_.Function(functions[3].second).nodes[0].name,
            "log function 2");
}

// ---- Parts of a profile

class WithStepsTest : public ::testing::Test {
 protected:
  static Profile Make() {
    ProfileBuilder builder;
    const LaneId lane = builder.mutable_graph().lanes.Add({});
    for (const NodeId n : {0u, 1u, 2u}) {
      builder.AddNode("n" + std::to_string(n), "N", kNoRecord);
      if (n == 2) continue;  // never runs
      builder.AddExecutions(
          n, {{.node = n, .lane = lane, .start = 1, .duration = 1}}, {});
    }
    return std::move(builder).Build();
  }

  const Profile all_ = Make();
};

TEST_F(WithStepsTest, NodesOfRemovedStepsRanElsewhere) {
  const Profile one = all_.WithSteps({all_.steps()[0]});
  ASSERT_EQ(one.steps().size(), 1u);
  EXPECT_EQ(one.steps()[0], all_.steps()[0]);
  EXPECT_FALSE(one.RanElsewhere(0));
  EXPECT_TRUE(one.RanElsewhere(1));
  EXPECT_FALSE(one.RanElsewhere(2));
  const Profile none = one.WithSteps({});
  EXPECT_TRUE(none.RanElsewhere(0));
  EXPECT_TRUE(none.RanElsewhere(1));
  EXPECT_FALSE(none.RanElsewhere(2));
}

TEST_F(WithStepsTest, AllStepsAreTheSameProfile) {
  const Profile same = all_.WithSteps(all_.steps());
  EXPECT_EQ(same.steps(), all_.steps());
  EXPECT_EQ(&same.graph(), &all_.graph());
  for (NodeId n = 0; n < 3; ++n) EXPECT_FALSE(same.RanElsewhere(n)) << n;
}

TEST_F(WithStepsTest, NodesAfterTheColumnDidNotRunElsewhere) {
  EXPECT_FALSE(all_.WithSteps({}).RanElsewhere(1000));
}

}  // namespace
}  // namespace tfprof::profile
