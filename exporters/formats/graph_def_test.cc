#include "exporters/formats/graph_def.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/exporters_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"
#include "proto/graph.pb.h"
#include "util/files/sink.h"

namespace tfprof::exporters {
namespace {
namespace graph_def_test {

using ::testing::ElementsAre;

struct Written {
  std::string bytes;
  proto::GraphDef graph;
  GraphDefLosses losses;
};

Written Write(const profile::Profile& profile) {
  Written written;
  util::StringSink sink;
  const auto losses = WriteGraphDef(profile, sink);
  EXPECT_TRUE(losses.ok()) << losses.status();
  if (losses.ok()) written.losses = *losses;
  written.bytes = sink.text();
  EXPECT_TRUE(written.graph.ParseFromString(written.bytes));
  return written;
}

std::vector<std::string> InputsOf(const proto::NodeDef& node) {
  return {node.input().begin(), node.input().end()};
}

TEST(WriteGraphDefTest, AnEmptyProfile) {
  EXPECT_EQ(Write(profile::Profile()).bytes, "");
}

TEST(WriteGraphDefTest, NamesOpsAndInputs) {
  profile::ProfileBuilder builder;
  profile::StringPool& strings = builder.mutable_graph().strings;
  builder.AddNode("a", "Const", profile::kNoRecord);
  builder.AddNode("", "NoOp", profile::kNoRecord);
  builder.AddNode("b", "Add", profile::kNoRecord);
  builder.AddEdge(strings.Intern("a"), 0, 0, 0);
  builder.AddEdge(strings.Intern("a"), 1, 0, 3);
  builder.AddEdge(strings.Intern("gone"), 2, 0, 0);
  builder.AddEdge(profile::kNone, 3, 0, 0);
  const Written written = Write(std::move(builder).Build());
  ASSERT_EQ(written.graph.node_size(), 3);
  EXPECT_EQ(written.graph.node(0).name(), "a");
  EXPECT_EQ(written.graph.node(0).op(), "Const");
  EXPECT_EQ(written.graph.node(1).name(), "");
  EXPECT_THAT(InputsOf(written.graph.node(2)),
              ElementsAre("a", "a:3", "gone", "<unknown>"));
  EXPECT_EQ(written.losses.rebuilt, 3);
  EXPECT_EQ(written.losses.input_places, 0);
}

TEST(WriteGraphDefTest, InputsWithGapsAreALoss) {
  profile::ProfileBuilder builder;
  profile::StringPool& strings = builder.mutable_graph().strings;
  builder.AddNode("a", "Add", profile::kNoRecord);
  builder.AddEdge(strings.Intern("x"), 0, 0, 0);
  builder.AddEdge(strings.Intern("y"), 2, 0, 0);
  builder.AddNode("b", "Add", profile::kNoRecord);
  builder.AddEdge(strings.Intern("x"), 0, 0, 0);
  const Written written = Write(std::move(builder).Build());
  EXPECT_THAT(InputsOf(written.graph.node(0)), ElementsAre("x", "y"));
  EXPECT_EQ(written.losses.input_places, 1);
}

TEST(WriteGraphDefTest, ShapesBecomeAttributes) {
  profile::ProfileBuilder builder;
  profile::GraphTables& graph = builder.mutable_graph();
  const profile::ShapeId shape =
      graph.shapes.Intern(std::vector<int64_t>{2, 3});
  const profile::NodeId n =
      builder.AddNode("w", "VariableV2", profile::kNoRecord);
  graph.nodes.parameter_shape[n] = shape;
  builder.AddOutputShape(0, shape);
  builder.AddOutputShape(1, profile::kUnknownShape);
  builder.AddNode("x", "Const", profile::kNoRecord);
  builder.AddOutputShape(5, shape);
  const Written written = Write(std::move(builder).Build());
  const auto& attributes = written.graph.node(0).attr();
  EXPECT_EQ(attributes.at("shape").ShortDebugString(),
            "shape { dim { size: 2 } dim { size: 3 } }");
  EXPECT_EQ(attributes.at("_output_shapes").ShortDebugString(),
            "list { shape { dim { size: 2 } dim { size: 3 } } "
            "shape { unknown_rank: true } }");
  // The list has no place for output 5.
  EXPECT_FALSE(written.graph.node(1).attr().contains("shape"));
  EXPECT_EQ(
      written.graph.node(1).attr().at("_output_shapes").list().shape_size(), 1);
  EXPECT_EQ(written.losses.output_places, 1);
}

// The attributes of a file without NodeDefs.
class ShapeAttributes : public FakeRecords {
 public:
  profile::AttributeList Attributes(uint64_t) const override {
    // AttrValue messages: {i: 1}, and empty shapes.
    return {
        {"T", "\x18\x01"}, {"shape", {"\x3a\0", 2}}, {"_output_shapes", ""}};
  }
};

TEST(WriteGraphDefTest, AttributesAreCopiedAndNotMadeAgain) {
  profile::ProfileBuilder builder;
  const uint32_t input = builder.AddInput(std::make_shared<ShapeAttributes>());
  profile::GraphTables& graph = builder.mutable_graph();
  const profile::ShapeId shape = graph.shapes.Intern(std::vector<int64_t>{2});
  const profile::NodeId n =
      builder.AddNode("w", "Op", profile::MakeRecordRef(input, 7));
  graph.nodes.parameter_shape[n] = shape;
  builder.AddOutputShape(0, shape);
  const Written written = Write(std::move(builder).Build());
  const auto& attributes = written.graph.node(0).attr();
  EXPECT_EQ(attributes.at("T").i(), 1);
  EXPECT_EQ(attributes.at("shape").ShortDebugString(), "shape { }");
  EXPECT_EQ(attributes.at("_output_shapes").ShortDebugString(), "");
}

// Records with arbitrary bytes as a GraphDef.
class NodeRecords : public FakeRecords {
 public:
  std::string_view NodeDef(uint64_t offset) const override {
    return offset == 1 ? std::string_view("\x0a\x03own\x22\x04/gpu")
                       : std::string_view();
  }
};

TEST(WriteGraphDefTest, RecordsOfAGraphDefAreCopied) {
  profile::ProfileBuilder builder;
  const uint32_t input = builder.AddInput(std::make_shared<NodeRecords>());
  builder.AddNode("own", "Op", profile::MakeRecordRef(input, 1));
  builder.AddNode("other", "Op", profile::MakeRecordRef(input, 2));
  const Written written = Write(std::move(builder).Build());
  ASSERT_EQ(written.graph.node_size(), 2);
  // The node has its placement, which profiles do not store, and no op.
  EXPECT_EQ(written.graph.node(0).device(), "/gpu");
  EXPECT_EQ(written.graph.node(0).op(), "");
  EXPECT_EQ(written.graph.node(1).op(), "Op");
  EXPECT_EQ(written.losses.rebuilt, 1);
}

TEST(WriteGraphDefTest, NamesThatRepeatHaveTheirModuleInFront) {
  profile::ProfileBuilder builder;
  const uint32_t input = builder.AddInput(std::make_shared<NodeRecords>());
  const profile::ModuleId one = builder.AddModule("one"),
                          two = builder.AddModule("two");
  const profile::StringId own = builder.mutable_graph().strings.Intern("own");
  // A copied record would have the name without the module.
  builder.AddNode(one, "own", "Op", profile::MakeRecordRef(input, 1));
  builder.AddNode(two, "own", "Op", profile::kNoRecord);
  builder.AddNode(two, "reader", "Op", profile::kNoRecord);
  builder.AddEdge(own, 0, 0, 0);
  const Written written = Write(std::move(builder).Build());
  EXPECT_EQ(written.graph.node(0).name(), "one/own");
  EXPECT_EQ(written.graph.node(1).name(), "two/own");
  EXPECT_THAT(InputsOf(written.graph.node(2)), ElementsAre("two/own"));
  EXPECT_EQ(written.losses.rebuilt, 3);
}

// The pieces that arrive, and the progress at each.
class PieceSink : public util::Sink {
 public:
  void Write(std::string_view bytes) override {
    largest_ = std::max(largest_, bytes.size());
    bytes_ += bytes.size();
  }
  void Reached(double share) override {
    EXPECT_GE(share, share_);
    EXPECT_LE(share, 1);
    share_ = share;
  }
  size_t largest() const { return largest_; }
  size_t bytes() const { return bytes_; }
  double share() const { return share_; }

 private:
  size_t largest_ = 0;
  size_t bytes_ = 0;
  double share_ = 0;
};

TEST(WriteGraphDefTest, MemoryDoesNotGrowWithTheGraph) {
  constexpr int kNodes = 20000;
  profile::ProfileBuilder builder;
  const std::string name(100, 'n');
  for (int i = 0; i < kNodes; ++i) {
    builder.AddNode(name + std::to_string(i), "Op", profile::kNoRecord);
  }
  PieceSink sink;
  ASSERT_TRUE(WriteGraphDef(std::move(builder).Build(), sink).ok());
  EXPECT_GT(sink.bytes(), size_t{kNodes} * 100);
  EXPECT_LT(sink.largest(), size_t{300} << 10);
  EXPECT_GT(sink.share(), 0.5);
}

}  // namespace graph_def_test
}  // namespace
}  // namespace tfprof::exporters
