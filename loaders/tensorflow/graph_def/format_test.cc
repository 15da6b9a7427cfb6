#include "loaders/tensorflow/graph_def/format.h"

#include <vector>

#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof {
namespace {

TEST(GraphDefFormatTest, TextAndBinary) {
  const Fit binary = kGraphDefFormat.sniff(Binary<GraphDef>(kGraph));
  EXPECT_GT(binary.score, 0);
  EXPECT_FALSE(binary.text);
  const Fit text = kGraphDefFormat.sniff(kGraph);
  EXPECT_EQ(text.score, Fit::kWord);
  EXPECT_TRUE(text.text);

  ImportLog log;
  const auto from_text = kGraphDefFormat.from_text(
      *InputFile::FromBytes("t", kGraph), log, nullptr);
  ASSERT_TRUE(from_text.ok()) << from_text.status();
  EXPECT_EQ((*from_text)->bytes(), Binary<GraphDef>(kGraph));
}

TEST(GraphDefFormatTest, NodesWithoutANameAreInGraphs) {
  // Proto3 omits empty fields.
  EXPECT_GT(kGraphDefFormat
                .sniff(Binary<GraphDef>(kGraph) +
                       Binary<GraphDef>("node { op: \"NoOp\" }"))
                .score,
            0);
}

TEST(GraphDefFormatTest, Others) {
  EXPECT_EQ(kGraphDefFormat.sniff(Binary<RunMetadata>(kRunMeta)).score, 0);
  EXPECT_EQ(kGraphDefFormat.sniff(Binary<OpLogProto>(kOpLog)).score, 0);
  EXPECT_EQ(kGraphDefFormat.sniff(Binary<ProfileProto>(kProfile)).score, 0);
  EXPECT_EQ(kGraphDefFormat.sniff(kProfile).score, 0);
}

TEST(GraphDefFormatTest, LoadsSeveralFiles) {
  LoadContext context;
  const std::vector<FormatFile> files = {
      {"a", InputFile::FromBytes("a", Binary<GraphDef>("node { name: 'a' }"))},
      {"none", InputFile::FromBytes("none", "")},
      {"b", InputFile::FromBytes("b", Binary<GraphDef>("node { name: 'b' }"))}};
  ASSERT_TRUE(kGraphDefFormat.load(files, context).ok());
  EXPECT_EQ(context.builder.graph().nodes.size(), 2u);
  EXPECT_EQ(CountOf(context.log, "empty file"), 1);
}

}  // namespace
}  // namespace tfprof
