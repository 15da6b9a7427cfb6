#include "exporters/formats/timed_event.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "loaders/tensorflow/profile_testing.h"
#include "profile/graph_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::exporters {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// What the only record says.
struct OneRecord : profile::DetailReader {
  profile::AttributeList Attributes(uint64_t) const override { return {}; }
  profile::ExecutionDetail Execution(uint64_t, bool) const override {
    return {};
  }
  bool record_is_group() const override { return false; }
  profile::RecordText Text(uint64_t) const override { return text; }
  std::vector<profile::SeenShape> OutputShapes(uint64_t) const override {
    return shapes;
  }
  profile::Transfer TransferOf(uint64_t) const override { return transfer; }
  profile::ArgumentList Arguments(uint64_t) const override { return arguments; }

  profile::RecordText text;
  std::vector<profile::SeenShape> shapes;
  profile::Transfer transfer;
  profile::ArgumentList arguments;
};

class TimedEventTest : public tensorflow::ProfileTest {
 protected:
  // The event of an execution of a node in a step.
  TimedEvent OfNode(profile::NodeId node, int64_t step = 3) {
    const profile::LaneId lane =
        tensorflow::DeviceLane("/device:cpu:0", builder_.mutable_graph());
    builder_.AddExecutions(
        step,
        {{.node = node,
          .lane = lane,
          .start = 10,
          .duration = 5,
          .record = profile::MakeRecordRef(record_input_, 1)}},
        {});
    profile_ = Build();
    return DescribeEvent(profile_, timeline::EventOf(profile_, 0, 0));
  }
  // The event of an execution without a node.
  TimedEvent Outside() {
    profile::GraphTables& graph = builder_.mutable_graph();
    const profile::LaneId lane = tensorflow::DeviceLane("/device:cpu:0", graph);
    builder_.AddOutside(3,
                        {.name = graph.strings.Intern("cudaMalloc"),
                         .lane = lane,
                         .start = 10,
                         .duration = 5,
                         .record = profile::MakeRecordRef(record_input_, 1)},
                        1);
    profile_ = Build();
    return DescribeEvent(profile_, timeline::EventOf(profile_, 0, 0));
  }

  std::shared_ptr<OneRecord> record_ = std::make_shared<OneRecord>();
  uint32_t record_input_ = builder_.AddInput(record_);
  profile::Profile profile_;
};

TEST_F(TimedEventTest, ANodeHasItsOpAndWhatTheRecordSays) {
  record_->text = {.name = "y:MatMul", .label = "y = MatMul(w, x)"};
  record_->shapes = {{.slot = 0, .dims = {32, 10}}, {.slot = 2, .dims = {}}};
  record_->transfer = {.bytes = 0, .tensor = "t", .from = "a", .to = "b"};
  record_->arguments = {{"Input Dims", "[[64]]"}};
  profile::AddNodeWithInputs(builder_, "w", "Const", {}, {3, 4});
  const profile::NodeId y =
      profile::AddNodeWithInputs(builder_, "y", "MatMul", {"w", "gone"}, {3});
  const TimedEvent event = OfNode(y);
  EXPECT_EQ(event.name, "MatMul");
  EXPECT_FALSE(event.is_moment);
  EXPECT_THAT(
      event.arguments,
      ElementsAre(Pair("node", "y"), Pair("event", "y:MatMul"),
                  Pair("label", "y = MatMul(w, x)"),
                  Pair("inputs", "w [3,4], gone"),
                  Pair("output_shapes", "0 [32,10]; 2 []"), Pair("tensor", "t"),
                  Pair("from", "a"), Pair("to", "b")));
  EXPECT_THAT(event.recorded, ElementsAre(Pair("Input Dims", "[[64]]")));
  EXPECT_THAT(event.numbers, ElementsAre(Pair("bytes", 0), Pair("step", 3)));
}

TEST_F(TimedEventTest, WhatTheRecordLacksIsNotSaid) {
  const TimedEvent event = OfNode(Node("n", "Op"));
  EXPECT_THAT(event.arguments, ElementsAre(Pair("node", "n")));
  EXPECT_THAT(event.recorded, IsEmpty());
  EXPECT_THAT(event.numbers, ElementsAre(Pair("step", 3)));
}

// In run metadata alone, the op of a node is in the text of its record.
TEST_F(TimedEventTest, TheOpOfTheRecordReplacesANameThatIsTheNodes) {
  record_->text = {.name = "a:Add", .op = "Add"};
  EXPECT_EQ(OfNode(Node("a", "a")).name, "Add");
}

TEST_F(TimedEventTest, TheOpOfTheGraphIsTheBetterOne) {
  record_->text = {.name = "a", .op = "Add"};
  EXPECT_EQ(OfNode(Node("a", "AddV2")).name, "AddV2");
}

TEST_F(TimedEventTest, ARecordOfNoNodeHasItsOwnName) {
  record_->text = {.name = "cudaMalloc"};
  const TimedEvent event = Outside();
  EXPECT_EQ(event.name, "cudaMalloc");
  EXPECT_FALSE(event.is_moment);
  EXPECT_THAT(event.arguments, IsEmpty()) << "its name is not said twice";
}

TEST(TimedMomentTest, WithoutALengthItIsAMoment) {
  timeline::TraceModel model;
  model.Add({.name = "now", .lane = model.Ops(), .start = 7});
  const profile::Profile profile = std::move(model).Build();
  const TimedEvent event =
      DescribeEvent(profile, timeline::EventOf(profile, 0, 0));
  EXPECT_EQ(event.name, "now");
  EXPECT_TRUE(event.is_moment);
}

}  // namespace
}  // namespace tfprof::exporters
