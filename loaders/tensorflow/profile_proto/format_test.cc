#include "loaders/tensorflow/profile_proto/format.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof {
namespace {

TEST(ProfileProtoFormatTest, TextAndBinary) {
  const Fit binary = kProfileProtoFormat.sniff(Binary<ProfileProto>(kProfile));
  EXPECT_GT(binary.score, 0);
  EXPECT_FALSE(binary.text);
  const Fit text = kProfileProtoFormat.sniff(kProfile);
  EXPECT_EQ(text.score, Fit::kWord);
  EXPECT_TRUE(text.text);

  ImportLog log;
  const auto from_text = kProfileProtoFormat.from_text(
      *InputFile::FromBytes("t", kProfile), log, nullptr);
  ASSERT_TRUE(from_text.ok()) << from_text.status();
  EXPECT_EQ((*from_text)->bytes(), Binary<ProfileProto>(kProfile));
}

TEST(ProfileProtoFormatTest, CountersOfKernelsFit) {
  const std::string with = std::string(kProfile) +
                           "\nkernel_counters { text: 'Wavefronts' columns { "
                           "counter_name: 1 counter_kind: 0 } }";
  EXPECT_GT(kProfileProtoFormat.sniff(Binary<ProfileProto>(with)).score,
            kProfileProtoFormat.sniff(Binary<ProfileProto>(kProfile)).score);
}

TEST(ProfileProtoFormatTest, Others) {
  EXPECT_EQ(kProfileProtoFormat.sniff(Binary<GraphDef>(kGraph)).score, 0);
  EXPECT_EQ(kProfileProtoFormat.sniff(Binary<RunMetadata>(kRunMeta)).score, 0);
  EXPECT_EQ(kProfileProtoFormat.sniff(Binary<OpLogProto>(kOpLog)).score, 0);
}

// Both an op log and a profile may begin with their strings.
TEST(ProfileProtoFormatTest, StringsFirst) {
  const std::string strings = "id_to_string { key: 1 value: 'x' }\n";
  EXPECT_EQ(kProfileProtoFormat.sniff(strings).score, 0);
  const Fit fit = kProfileProtoFormat.sniff(strings + "nodes { }");
  EXPECT_EQ(fit.score, Fit::kWord);
  EXPECT_TRUE(fit.text);
}

}  // namespace
}  // namespace tfprof
