#include "loaders/tensorflow/graph_def/format.h"

#include <vector>

#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof::tensorflow {
namespace {

TEST(GraphDefFormatTest, TextAndBinary) {
  const loaders::Fit binary =
      kGraphDefFormat.sniff(loaders::Binary<proto::GraphDef>(loaders::kGraph));
  EXPECT_GT(binary.score, 0);
  EXPECT_FALSE(binary.text);
  const loaders::Fit text = kGraphDefFormat.sniff(loaders::kGraph);
  EXPECT_EQ(text.score, loaders::Fit::kWord);
  EXPECT_TRUE(text.text);

  loaders::ImportLog log;
  const auto from_text = kGraphDefFormat.from_text(
      *loaders::InputFile::FromBytes("t", loaders::kGraph), log, nullptr);
  ASSERT_TRUE(from_text.ok()) << from_text.status();
  EXPECT_EQ((*from_text)->bytes(),
            loaders::Binary<proto::GraphDef>(loaders::kGraph));
}

TEST(GraphDefFormatTest, NodesWithoutANameAreInGraphs) {
  // Proto3 omits empty fields.
  EXPECT_GT(
      kGraphDefFormat
          .sniff(loaders::Binary<proto::GraphDef>(loaders::kGraph) +
                 loaders::Binary<proto::GraphDef>("node { op: \"NoOp\" }"))
          .score,
      0);
}

TEST(GraphDefFormatTest, Others) {
  EXPECT_EQ(kGraphDefFormat
                .sniff(loaders::Binary<proto::RunMetadata>(loaders::kRunMeta))
                .score,
            0);
  EXPECT_EQ(
      kGraphDefFormat.sniff(loaders::Binary<proto::OpLogProto>(loaders::kOpLog))
          .score,
      0);
  EXPECT_EQ(kGraphDefFormat
                .sniff(loaders::Binary<proto::ProfileProto>(loaders::kProfile))
                .score,
            0);
  EXPECT_EQ(kGraphDefFormat.sniff(loaders::kProfile).score, 0);
}

TEST(GraphDefFormatTest, LoadsSeveralFiles) {
  loaders::LoadContext context;
  const std::vector<loaders::FormatFile> files = {
      {"a", loaders::InputFile::FromBytes(
                "a", loaders::Binary<proto::GraphDef>("node { name: 'a' }"))},
      {"none", loaders::InputFile::FromBytes("none", "")},
      {"b", loaders::InputFile::FromBytes(
                "b", loaders::Binary<proto::GraphDef>("node { name: 'b' }"))}};
  ASSERT_TRUE(kGraphDefFormat.load(files, context).ok());
  EXPECT_EQ(context.builder.graph().nodes.size(), 2u);
  EXPECT_EQ(loaders::CountOf(context.log, "empty file"), 1);
}

}  // namespace
}  // namespace tfprof::tensorflow
