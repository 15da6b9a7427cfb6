#include "loaders/tensorflow/text_proto.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::IsEmpty;

TEST(TextProtoTest, TheBinaryFormOfAMessage) {
  loaders::ImportLog log;
  proto::GraphDef message;
  const auto binary = TextToBinary(
      *loaders::InputFile::FromBytes("g.txt", loaders::kGraph), message, log);
  ASSERT_TRUE(binary.ok()) << binary.status();
  EXPECT_EQ((*binary)->bytes(),
            loaders::Binary<proto::GraphDef>(loaders::kGraph));
  EXPECT_EQ((*binary)->path(), "g.txt (in binary form)");
  EXPECT_THAT(log.entries(), IsEmpty());
}

TEST(TextProtoTest, MapsHaveOneOrder) {
  loaders::ImportLog log;
  proto::OpLogProto message;
  std::string text;
  for (const char* key : {"9", "1", "500", "-3", "77"}) {
    text += std::string("id_to_string { key: ") + key + " value: 'x' }\n";
  }
  const auto binary =
      TextToBinary(*loaders::InputFile::FromBytes("l", text), message, log);
  ASSERT_TRUE(binary.ok()) << binary.status();
  EXPECT_EQ((*binary)->bytes(), loaders::Binary<proto::OpLogProto>(text));
}

TEST(TextProtoTest, UnknownFieldsAreSkippedAndCounted) {
  loaders::ImportLog log;
  proto::GraphDef message;
  const auto binary = TextToBinary(
      *loaders::InputFile::FromBytes(
          "g", "node { name: 'a' colour: 'red' } planet { name: 'b' }"),
      message, log);
  ASSERT_TRUE(binary.ok()) << binary.status();
  EXPECT_EQ((*binary)->bytes(),
            loaders::Binary<proto::GraphDef>("node { name: 'a' }"));
  EXPECT_EQ(loaders::CountOf(log, "unknown field of a text file skipped"), 2);
  EXPECT_FALSE(log.damaged());
}

TEST(TextProtoTest, StopsWhenItIsCancelled) {
  util::Cancellation cancellation;
  cancellation.Request();
  loaders::ImportLog log;
  proto::GraphDef message;
  EXPECT_TRUE(absl::IsCancelled(
      TextToBinary(*loaders::InputFile::FromBytes("g", loaders::kGraph),
                   message, log, &cancellation)
          .status()));
  EXPECT_EQ(message.node_size(), 0);
}

TEST(TextProtoTest, ErrorsNameLineAndColumn) {
  loaders::ImportLog log;
  proto::GraphDef message;
  const auto binary = TextToBinary(
      *loaders::InputFile::FromBytes("g", "node {\n  name: }\n"), message, log);
  EXPECT_EQ(binary.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(binary.status().message()),
              ::testing::MatchesRegex(
                  "g: line 2, column 9: .*: not a GraphDef in text form"));
}

}  // namespace
}  // namespace tfprof::tensorflow
