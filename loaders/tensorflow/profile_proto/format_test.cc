#include "loaders/tensorflow/profile_proto/format.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof::tensorflow {
namespace {

TEST(ProfileProtoFormatTest, TextAndBinary) {
  const loaders::Fit binary = kProfileProtoFormat.sniff(
      loaders::Binary<proto::ProfileProto>(loaders::kProfile));
  EXPECT_GT(binary.score, 0);
  EXPECT_FALSE(binary.text);
  const loaders::Fit text = kProfileProtoFormat.sniff(loaders::kProfile);
  EXPECT_EQ(text.score, loaders::Fit::kWord);
  EXPECT_TRUE(text.text);

  loaders::ImportLog log;
  const auto from_text = kProfileProtoFormat.from_text(
      *loaders::InputFile::FromBytes("t", loaders::kProfile), log, nullptr);
  ASSERT_TRUE(from_text.ok()) << from_text.status();
  EXPECT_EQ((*from_text)->bytes(),
            loaders::Binary<proto::ProfileProto>(loaders::kProfile));
}

TEST(ProfileProtoFormatTest, CountersOfKernelsFit) {
  const std::string with = std::string(loaders::kProfile) +
                           "\nkernel_counters { text: 'Wavefronts' columns { "
                           "counter_name: 1 counter_kind: 0 } }";
  EXPECT_GT(
      kProfileProtoFormat.sniff(loaders::Binary<proto::ProfileProto>(with))
          .score,
      kProfileProtoFormat
          .sniff(loaders::Binary<proto::ProfileProto>(loaders::kProfile))
          .score);
}

TEST(ProfileProtoFormatTest, Others) {
  EXPECT_EQ(kProfileProtoFormat
                .sniff(loaders::Binary<proto::GraphDef>(loaders::kGraph))
                .score,
            0);
  EXPECT_EQ(kProfileProtoFormat
                .sniff(loaders::Binary<proto::RunMetadata>(loaders::kRunMeta))
                .score,
            0);
  EXPECT_EQ(kProfileProtoFormat
                .sniff(loaders::Binary<proto::OpLogProto>(loaders::kOpLog))
                .score,
            0);
}

// Both an op log and a profile may begin with their strings.
TEST(ProfileProtoFormatTest, StringsFirst) {
  const std::string strings = "id_to_string { key: 1 value: 'x' }\n";
  EXPECT_EQ(kProfileProtoFormat.sniff(strings).score, 0);
  const loaders::Fit fit = kProfileProtoFormat.sniff(strings + "nodes { }");
  EXPECT_EQ(fit.score, loaders::Fit::kWord);
  EXPECT_TRUE(fit.text);
}

}  // namespace
}  // namespace tfprof::tensorflow
