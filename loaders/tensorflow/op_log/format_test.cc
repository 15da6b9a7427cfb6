#include "loaders/tensorflow/op_log/format.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof::tensorflow {
namespace {

TEST(OpLogFormatTest, TextAndBinary) {
  const loaders::Fit binary =
      kOpLogFormat.sniff(loaders::Binary<proto::OpLogProto>(loaders::kOpLog));
  EXPECT_GT(binary.score, 0);
  EXPECT_FALSE(binary.text);
  const loaders::Fit text = kOpLogFormat.sniff(loaders::kOpLog);
  EXPECT_EQ(text.score, loaders::Fit::kWord);
  EXPECT_TRUE(text.text);

  loaders::ImportLog log;
  const auto from_text = kOpLogFormat.from_text(
      *loaders::InputFile::FromBytes("t", loaders::kOpLog), log, nullptr);
  ASSERT_TRUE(from_text.ok()) << from_text.status();
  EXPECT_EQ((*from_text)->bytes(),
            loaders::Binary<proto::OpLogProto>(loaders::kOpLog));
}

TEST(OpLogFormatTest, Others) {
  EXPECT_EQ(
      kOpLogFormat.sniff(loaders::Binary<proto::GraphDef>(loaders::kGraph))
          .score,
      0);
  EXPECT_EQ(
      kOpLogFormat.sniff(loaders::Binary<proto::RunMetadata>(loaders::kRunMeta))
          .score,
      0);
  EXPECT_EQ(kOpLogFormat
                .sniff(loaders::Binary<proto::ProfileProto>(loaders::kProfile))
                .score,
            0);
}

// Both an op log and a profile may begin with their strings.
TEST(OpLogFormatTest, StringsFirst) {
  const std::string strings = "id_to_string { key: 1 value: 'x' }\n";
  EXPECT_EQ(kOpLogFormat.sniff(strings).score, loaders::Fit::kWord);
  EXPECT_EQ(kOpLogFormat.sniff(strings + "nodes { }").score, 0);
}

// A node keeps its first call stack, from whichever log.
TEST(OpLogFormatTest, SeveralLogs) {
  loaders::LoadContext context;
  const profile::NodeId n =
      context.builder.AddNode("y", "Op", profile::kNoRecord);
  const std::vector<loaders::FormatFile> files = {
      {"a",
       loaders::InputFile::FromBytes("a", loaders::Binary<proto::OpLogProto>(R"(
         log_entries { name: "y" code_def { traces { lineno: 1 } } })"))},
      {"b",
       loaders::InputFile::FromBytes("b", loaders::Binary<proto::OpLogProto>(R"(
         log_entries { name: "y" float_ops: 5
                       code_def { traces { lineno: 2 } } })"))}};
  ASSERT_TRUE(kOpLogFormat.load(files, context).ok());
  const profile::GraphTables& graph = context.builder.graph();
  const std::vector<profile::FrameId> frames =
      graph.stacks.Frames(graph.nodes.stack[n]);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(graph.stacks.frame(frames[0]).lineno, 1);
  EXPECT_EQ(context.progress->done,
            static_cast<int64_t>(files[0].file->bytes().size() +
                                 files[1].file->bytes().size()));
}

}  // namespace
}  // namespace tfprof::tensorflow
