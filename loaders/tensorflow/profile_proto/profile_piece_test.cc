#include "loaders/tensorflow/profile_proto/profile_piece.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/binary_testing.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ProfilePieceTest : public ::testing::Test {
 protected:
  ProfilePiece Parse(const std::string& bytes) {
    file_ = loaders::InputFile::FromBytes("p", bytes);
    return ParseProfilePiece(*file_, /*input=*/3, file_->bytes());
  }
  ProfilePiece ParseText(std::string_view text) {
    return Parse(loaders::Binary<proto::ProfileProto>(text));
  }
  // Parses a profile with one node.
  ProfilePiece ParseNode(std::string_view text) {
    return ParseText(fmt::format("nodes {{ key: 7 value {{ {} }} }}", text));
  }
  // Formats each edge as "position:output/seen<source"; the source is an id or
  // a name.
  static std::vector<std::string> Edges(const ProfilePiece& piece) {
    std::vector<std::string> lines;
    for (const ProfilePiece::Edge& edge : piece.edges) {
      lines.push_back(fmt::format(
          "{}:{}/{}<{}", edge.position, edge.output, edge.seen_output,
          edge.dangling ? std::string(piece.names[edge.source].text)
                        : std::to_string(edge.source)));
    }
    return lines;
  }

  std::shared_ptr<const loaders::InputFile> file_;
};

TEST_F(ProfilePieceTest, NothingIsNoProfile) {
  const ProfilePiece piece = Parse("");
  EXPECT_FALSE(piece.known);
  EXPECT_THAT(piece.nodes, IsEmpty());
  EXPECT_FALSE(Parse("\x32\x01x").known);  // field 6
  EXPECT_TRUE(Parse("\x10\x01").known);
}

TEST_F(ProfilePieceTest, WhatIsBesideTheNodes) {
  const ProfilePiece piece = ParseText(
      "has_trace: true steps: [4, 9] id_to_string { key: 1 value: 'm.py' }");
  EXPECT_TRUE(piece.known);
  EXPECT_TRUE(piece.has_trace);
  EXPECT_THAT(piece.steps, ElementsAre(4, 9));
  EXPECT_THAT(piece.strings, SizeIs(1));
  EXPECT_FALSE(ParseText("has_trace: false steps: 4").has_trace);
}

TEST_F(ProfilePieceTest, ANode) {
  const ProfilePiece piece = ParseNode(
      "name: 'n' op: 'Op' canonical_device: '/GPU:0' float_ops: 42 "
      "op_types: ['Op', 'mine'] shape: [2, 3] trace { traces { lineno: 1 } }");
  ASSERT_THAT(piece.nodes, SizeIs(1));
  const ProfilePiece::Node& node = piece.nodes[0];
  EXPECT_EQ(node.id, 7);
  EXPECT_EQ(node.offset, 0u);
  EXPECT_EQ(piece.names[node.name].text, "n");
  EXPECT_EQ(piece.names[node.op].text, "Op");
  EXPECT_EQ(piece.devices.name(node.device), "/gpu:0");
  EXPECT_EQ(node.float_ops, 42);
  EXPECT_TRUE(node.has_trace);
  EXPECT_FALSE(node.ran_elsewhere);
  EXPECT_TRUE(node.good);
  EXPECT_THAT(piece.shapes[node.parameter_shape], ElementsAre(2, 3));
  ASSERT_EQ(node.end_type, 2u);
  // A name is numbered once: the op is also a type.
  EXPECT_EQ(piece.types[0], node.op);
  EXPECT_EQ(piece.names[piece.types[1]].text, "mine");
  EXPECT_THAT(piece.names, SizeIs(3));
}

TEST_F(ProfilePieceTest, ANodeOfDefaultsOnly) {
  // The entry has a key but no value.
  const ProfilePiece piece = Parse("\x0a\x02\x08\x05");
  ASSERT_THAT(piece.nodes, SizeIs(1));
  EXPECT_EQ(piece.nodes[0].id, 5);
  EXPECT_EQ(piece.names[piece.nodes[0].name].text, "");
  EXPECT_EQ(piece.nodes[0].device, profile::kNone);
  EXPECT_TRUE(piece.nodes[0].good);
  EXPECT_EQ(file_->OffsetOf(piece.nodes[0].bytes), 2u);
}

TEST_F(ProfilePieceTest, ListsOfNodesEndWhereTheNextBegins) {
  const ProfilePiece piece = ParseText(
      "nodes { key: 0 value { name: 'a' op_types: ['x', 'y'] } } "
      "nodes { key: 1 value { name: 'b' inputs { key: 0 value: 0 } } } "
      "nodes { key: 2 value { name: 'c' op_types: 'x' } }");
  ASSERT_THAT(piece.nodes, SizeIs(3));
  EXPECT_EQ(piece.nodes[0].end_type, 2u);
  EXPECT_EQ(piece.nodes[1].end_type, 2u);
  EXPECT_EQ(piece.nodes[2].end_type, 3u);
  EXPECT_EQ(piece.nodes[0].end_edge, 0u);
  EXPECT_EQ(piece.nodes[1].end_edge, 1u);
  EXPECT_EQ(piece.nodes[2].end_edge, 1u);
}

TEST_F(ProfilePieceTest, EdgesByPositionWithTheirOutputs) {
  const ProfilePiece piece = ParseNode(
      "inputs { key: 2 value: 30 } inputs { key: 0 value: 10 } "
      "dangling_inputs { key: 1 value: 'gone' } "
      "src_output_index { key: 10 value: 4 } "
      "input_output_index { key: 0 value: 5 } "
      "input_output_index { key: 1 value: 6 }");
  EXPECT_THAT(Edges(piece), ElementsAre("0:5/4<10", "1:6/0<gone", "2:0/0<30"));
  EXPECT_TRUE(piece.names_outputs);
}

TEST_F(ProfilePieceTest, OfEqualKeysTheLastCounts) {
  // Binary<> would keep only one of them, so the bytes are two messages.
  const auto entry = [](std::string_view node) {
    return loaders::Binary<proto::ProfileNode>(node);
  };
  const std::string node = entry("inputs { key: 0 value: 1 }") +
                           entry("inputs { key: 0 value: 2 }") +
                           entry("execs { key: 4 value { run_count: 1 } }") +
                           entry("execs { key: 4 value { run_count: 2 } }");
  std::string bytes = "\x08\x01\x12";  // key: 1, value
  bytes += static_cast<char>(node.size());
  bytes += node;
  std::string profile = "\x0a";
  profile += static_cast<char>(bytes.size());
  const ProfilePiece piece = Parse(profile + bytes);
  EXPECT_THAT(Edges(piece), ElementsAre("0:0/0<2"));
  EXPECT_FALSE(piece.names_outputs);
  ASSERT_THAT(piece.groups, SizeIs(1));
  EXPECT_EQ(piece.groups[0].sums.run_count, 2);
}

TEST_F(ProfilePieceTest, ManyInputsAreSortedToo) {
  std::string text;
  for (int i = 99; i >= 0; --i) {
    text += fmt::format("inputs {{ key: {} value: {} }} ", i, i + 1000);
  }
  const ProfilePiece piece = ParseNode(text);
  ASSERT_THAT(piece.edges, SizeIs(100));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(piece.edges[static_cast<size_t>(i)].position, i);
    EXPECT_EQ(piece.edges[static_cast<size_t>(i)].source, i + 1000);
  }
}

TEST_F(ProfilePieceTest, OutputShapesByIndex) {
  const ProfilePiece piece = ParseNode(
      "output_shapes { key: 1 value { int64_values: [4, 5] } } "
      "output_shapes { key: 0 value { } }");
  ASSERT_THAT(piece.output_shapes, SizeIs(2));
  EXPECT_EQ(piece.output_shapes[0].index, 0);
  EXPECT_THAT(piece.shapes[piece.output_shapes[0].shape], IsEmpty());
  EXPECT_THAT(piece.shapes[piece.output_shapes[1].shape], ElementsAre(4, 5));
}

TEST_F(ProfilePieceTest, GroupsByStepWithTheirRecords) {
  const ProfilePiece piece = ParseNode(
      "execs { key: 9 value { run_count: 1 devices: '/cpu:0' } } "
      "execs { key: 2 value { run_count: 5 "
      "  cpu_execs { key: '/cpu:0' value { times { int64_values: [7, 1] } "
      "                                    times { int64_values: [9, 1] } } } "
      "} }");
  ASSERT_THAT(piece.groups, SizeIs(2));
  EXPECT_EQ(piece.groups[0].step, 2);
  EXPECT_EQ(piece.groups[0].sums.run_count, 5);
  EXPECT_EQ(piece.groups[0].end_record, 2u);
  EXPECT_EQ(piece.groups[1].step, 9);
  EXPECT_EQ(piece.groups[1].end_record, 3u);
  ASSERT_THAT(piece.records, SizeIs(3));
  EXPECT_EQ(piece.records[0].start, 7);
  // The record of each group has its position in the file.
  EXPECT_EQ(piece.records[0].record >> profile::kOffsetBits, 3u);
  EXPECT_EQ(piece.records[0].record, piece.records[1].record);
  EXPECT_NE(piece.records[0].record, piece.records[2].record);
}

TEST_F(ProfilePieceTest, DamagedNodesAreDroppedOrMarked) {
  // An entry that ends inside its value; a node that ends inside its name.
  ProfilePiece piece = Parse("\x0a\x03\x12\x7fx");
  EXPECT_THAT(piece.nodes, IsEmpty());
  EXPECT_TRUE(piece.log.damaged());
  EXPECT_THAT(piece.log.Lines(),
              ElementsAre(HasSubstr("p: byte 2: profile node is damaged")));
  piece = Parse("\x0a\x07\x08\x01\x12\x03\x0a\x7f!");
  ASSERT_THAT(piece.nodes, SizeIs(1));
  EXPECT_FALSE(piece.nodes[0].good);
  EXPECT_FALSE(piece.log.damaged());
}

TEST_F(ProfilePieceTest, ADamagedListOfSteps) {
  const ProfilePiece piece = Parse("\x1a\x01\x80");
  EXPECT_TRUE(piece.known);
  EXPECT_THAT(piece.log.Lines(),
              ElementsAre(HasSubstr("p: byte 2: step list is damaged")));
}

}  // namespace
}  // namespace tfprof::tensorflow
