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

TEST(TextProtoTest, AnEntryWithoutAKeyHasTheKey0) {
  const auto binary = [](const std::string& key) {
    loaders::ImportLog log;
    proto::GraphDef message;
    const std::string text =
        "node { name: 'a' } library { function { arg_attr { " + key +
        " value { attr { key: 'x' value { b: true } } } } } }";
    const auto file =
        TextToBinary(*loaders::InputFile::FromBytes("g", text), message, log);
    EXPECT_TRUE(file.ok()) << file.status();
    return std::string((*file)->bytes());
  };
  EXPECT_EQ(binary(""), binary("key: 0"));
  proto::GraphDef parsed;
  ASSERT_TRUE(parsed.ParseFromString(binary("")));
  EXPECT_EQ(parsed.library().function(0).arg_attr().at(0).attr_size(), 1);
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

loaders::ByteAccount AccountOfGraph(const std::string& text) {
  const auto file = loaders::InputFile::FromBytes("g", text);
  loaders::ImportLog log;
  proto::GraphDef message;
  EXPECT_TRUE(TextToBinary(*file, message, log).ok()) << text;
  const loaders::ByteAccount account =
      AccountText<proto::GraphDef>(*file, nullptr);
  EXPECT_EQ(account.total(), static_cast<int64_t>(text.size())) << text;
  return account;
}

TEST(TextProtoTest, BytesOfAText) {
  EXPECT_EQ(AccountOfGraph("node{name:'a b'}# c\n"),
            (loaders::ByteAccount{.read = 16, .unused = 3, .white_space = 1}));
  EXPECT_EQ(AccountOfGraph("node { name: 'a' \"b\\\"\" input: [ 'c', 'd' ] };"),
            (loaders::ByteAccount{.read = 35, .white_space = 10}));
  EXPECT_EQ(AccountOfGraph("node [<op:'x'>, {op:'y'}] versions{producer:-1}"),
            (loaders::ByteAccount{.read = 44, .white_space = 3}));
  EXPECT_EQ(
      AccountOfGraph("node{attr{key:'k' value{list{f:1.5e+3 f:inf b:true}}}}"),
      (loaders::ByteAccount{.read = 51, .white_space = 3}));
}

TEST(TextProtoTest, UnknownFieldsAreOfNoUse) {
  const std::string unknown[] = {"planet:'b'",
                                 "planet{name:'b'}",
                                 "planet{node{name:'b'}}",
                                 "planet:[1,-2,'c']",
                                 "[a.b.c]:1",
                                 "[a.b]{node{name:'b'}}",
                                 "planet:1e-5",
                                 "planet:[{a:1},<b:2>]",
                                 "planet:'a''b'"};
  for (const std::string& field : unknown) {
    const auto size = static_cast<int64_t>(field.size());
    EXPECT_EQ(
        AccountOfGraph(field + " node{name:'a'}"),
        (loaders::ByteAccount{.read = 14, .unused = size, .white_space = 1}))
        << field;
    EXPECT_EQ(
        AccountOfGraph("node{" + field + " name:'a'}"),
        (loaders::ByteAccount{.read = 14, .unused = size, .white_space = 1}))
        << field;
  }
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
