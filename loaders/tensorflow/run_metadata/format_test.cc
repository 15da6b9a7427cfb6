#include "loaders/tensorflow/run_metadata/format.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof {
namespace {

TEST(RunMetadataFormatTest, TextAndBinary) {
  const Fit binary = kRunMetadataFormat.sniff(Binary<RunMetadata>(kRunMeta));
  EXPECT_GT(binary.score, 0);
  EXPECT_FALSE(binary.text);
  const Fit text = kRunMetadataFormat.sniff(kRunMeta);
  EXPECT_EQ(text.score, Fit::kWord);
  EXPECT_TRUE(text.text);

  ImportLog log;
  const auto from_text = kRunMetadataFormat.from_text(
      *InputFile::FromBytes("t", kRunMeta), log, nullptr);
  ASSERT_TRUE(from_text.ok()) << from_text.status();
  EXPECT_EQ((*from_text)->bytes(), Binary<RunMetadata>(kRunMeta));
}

TEST(RunMetadataFormatTest, Others) {
  EXPECT_EQ(kRunMetadataFormat.sniff(Binary<GraphDef>(kGraph)).score, 0);
  EXPECT_EQ(kRunMetadataFormat.sniff(Binary<OpLogProto>(kOpLog)).score, 0);
  EXPECT_EQ(kRunMetadataFormat.sniff(Binary<ProfileProto>(kProfile)).score, 0);
  EXPECT_EQ(kRunMetadataFormat.sniff(kGraph).score, 0);
}

TEST(RunMetadataFormatTest, EachFileIsAStep) {
  LoadContext context;
  const std::string bytes = Binary<RunMetadata>(kRunMeta);
  const std::vector<FormatFile> files = {
      {"a", InputFile::FromBytes("a", bytes), 4},
      {"b", InputFile::FromBytes("b", bytes), 2}};
  ASSERT_TRUE(kRunMetadataFormat.load(files, context).ok());
  EXPECT_EQ(context.run_coverage.size(), 2u);
  const Profile profile = std::move(context.builder).Build();
  ASSERT_EQ(profile.steps().size(), 2u);
  EXPECT_EQ(profile.steps()[0]->id, 2);
  EXPECT_EQ(profile.steps()[1]->id, 4);
}

}  // namespace
}  // namespace tfprof
