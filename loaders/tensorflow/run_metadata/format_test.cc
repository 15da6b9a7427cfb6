#include "loaders/tensorflow/run_metadata/format.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof::tensorflow {
namespace {

TEST(RunMetadataFormatTest, TextAndBinary) {
  const loaders::Fit binary = kRunMetadataFormat.sniff(
      loaders::Binary<proto::RunMetadata>(loaders::kRunMeta));
  EXPECT_GT(binary.score, 0);
  EXPECT_FALSE(binary.text);
  const loaders::Fit text = kRunMetadataFormat.sniff(loaders::kRunMeta);
  EXPECT_EQ(text.score, loaders::Fit::kWord);
  EXPECT_TRUE(text.text);

  loaders::ImportLog log;
  const auto from_text = kRunMetadataFormat.from_text(
      *loaders::InputFile::FromBytes("t", loaders::kRunMeta), log, nullptr);
  ASSERT_TRUE(from_text.ok()) << from_text.status();
  EXPECT_EQ((*from_text)->bytes(),
            loaders::Binary<proto::RunMetadata>(loaders::kRunMeta));
}

TEST(RunMetadataFormatTest, Others) {
  EXPECT_EQ(kRunMetadataFormat
                .sniff(loaders::Binary<proto::GraphDef>(loaders::kGraph))
                .score,
            0);
  EXPECT_EQ(kRunMetadataFormat
                .sniff(loaders::Binary<proto::OpLogProto>(loaders::kOpLog))
                .score,
            0);
  EXPECT_EQ(kRunMetadataFormat
                .sniff(loaders::Binary<proto::ProfileProto>(loaders::kProfile))
                .score,
            0);
  EXPECT_EQ(kRunMetadataFormat.sniff(loaders::kGraph).score, 0);
}

TEST(RunMetadataFormatTest, EachFileIsAStep) {
  loaders::LoadContext context;
  const std::string bytes =
      loaders::Binary<proto::RunMetadata>(loaders::kRunMeta);
  const std::vector<loaders::FormatFile> files = {
      {"a", loaders::InputFile::FromBytes("a", bytes), 4},
      {"b", loaders::InputFile::FromBytes("b", bytes), 2}};
  ASSERT_TRUE(kRunMetadataFormat.load(files, context).ok());
  EXPECT_EQ(context.run_coverage.size(), 2u);
  const profile::Profile profile = std::move(context.builder).Build();
  ASSERT_EQ(profile.steps().size(), 2u);
  EXPECT_EQ(profile.steps()[0]->id, 2);
  EXPECT_EQ(profile.steps()[1]->id, 4);
}

}  // namespace
}  // namespace tfprof::tensorflow
