#include "loaders/chrome_json/event_details.h"

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/attr_value.h"

namespace tfprof::chrome_json {
namespace {
namespace event_details_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

profile::ArgumentList ArgumentsOf(std::string_view object) {
  TraceEvent event;
  event.args = object;
  return ReadArguments(event);
}

TEST(ArgumentsTest, ValuesAreText) {
  EXPECT_THAT(
      ArgumentsOf(R"({"a": "x\n", "b": 1.50, "c": [1, 2], "d\"": null})"),
      ElementsAre(Pair("a", "x\n"), Pair("b", "1.50"), Pair("c", "[1, 2]"),
                  Pair("d\"", "null")));
  EXPECT_THAT(ArgumentsOf("{}"), IsEmpty());
  EXPECT_THAT(ArgumentsOf("[]"), IsEmpty());
  EXPECT_THAT(ArgumentsOf(""), IsEmpty());
  EXPECT_THAT(ArgumentsOf(R"({"a": 1, "b")"), ElementsAre(Pair("a", "1")));
}

TEST(ArgumentsTest, ListsOnSeveralLinesAreOnOne) {
  EXPECT_THAT(
      ArgumentsOf("{\"a\": [\n  1,\n  \"x, \\\" y\"\n ], "
                  "\"b\": {\n\"c\":[]}}"),
      ElementsAre(Pair("a", R"([1, "x, \" y"])"), Pair("b", R"({"c": []})")));
}

TEST(EventDetailsTest, TheEventAtAnOffset) {
  const std::string text =
      R"([{"name": "first"}, {"ph": "X", "ts": 1, "args": {"k": "v"},)"
      R"( "name": "b\n"}])";
  const EventDetails details(loaders::InputFile::FromBytes("f", text));
  EXPECT_EQ(details.Text(1).name, "first");
  EXPECT_THAT(details.Arguments(1), IsEmpty());
  const size_t second = text.find("{\"ph\"");
  EXPECT_EQ(details.Text(second).name, "b\n");
  EXPECT_THAT(details.Arguments(second), ElementsAre(Pair("k", "v")));
  EXPECT_EQ(details.Text(text.size()).name, "");
}

constexpr std::string_view kText = R"json([
{"ph":"X","name":"aten::mm","ts":1,"dur":2,"args":{"Input Dims":[[2, 3],[],7],
 "External id":4,"n\"m":"a\\b"}},
{"ph":"X","name":"a \"b\"","ts":1,"dur":2},
{"ph":"X","name":"Memcpy HtoD (Pageable -> Device)","ts":1,"dur":2,
 "args":{"bytes":4096}},
{"ph":"X","name":"MemcpyD2H","ts":1,"dur":2,
 "args":{"memcpy_details":"kind_src:device kind_dst:pageable size:64 dest:0"}},
{"ph":"X","name":"raw "quotes" here","pid":1,"ts":1,"dur":2}])json";

class RecordDetailsTest : public ::testing::Test {
 protected:
  static uint64_t OffsetOf(std::string_view part) {
    return kText.rfind('{', kText.find(part));
  }

  const EventDetails details_ =
      EventDetails(loaders::InputFile::FromBytes("t.json", std::string(kText)));
};

TEST_F(RecordDetailsTest, Arguments) {
  EXPECT_THAT(details_.Arguments(OffsetOf("aten::mm")),
              ElementsAre(Pair("Input Dims", "[[2, 3],[],7]"),
                          Pair("External id", "4"), Pair("n\"m", "a\\b")));
  EXPECT_TRUE(details_.Arguments(OffsetOf("a \\\"b")).empty());
}

TEST_F(RecordDetailsTest, Names) {
  EXPECT_EQ(details_.Text(OffsetOf("aten::mm")).name, "aten::mm");
  const std::string_view decoded = details_.Text(OffsetOf("a \\\"b")).name;
  EXPECT_EQ(decoded, "a \"b\"");
  EXPECT_EQ(details_.Text(OffsetOf("a \\\"b")).name.data(), decoded.data());
}

TEST_F(RecordDetailsTest, AnEventThatIsNoJson) {
  EXPECT_EQ(details_.Text(OffsetOf("raw ")).name, "raw \"quotes\" here");
}

TEST_F(RecordDetailsTest, ShapesAreAnAttribute) {
  const profile::AttributeList attributes =
      details_.Attributes(OffsetOf("aten::mm"));
  ASSERT_EQ(attributes.size(), 1u);
  EXPECT_EQ(attributes[0].first, "input_shapes");
  EXPECT_EQ(profile::AttrShapes(attributes[0].second).size(), 3u);
  EXPECT_THAT(profile::AttrShapes(attributes[0].second)[0], ElementsAre(2, 3));
  EXPECT_TRUE(details_.Attributes(OffsetOf("Memcpy")).empty());
}

TEST_F(RecordDetailsTest, Copies) {
  const profile::Transfer copy = details_.TransferOf(OffsetOf("Memcpy"));
  EXPECT_EQ(copy.kind, profile::CopyKind::kToDevice);
  EXPECT_EQ(copy.bytes, 4096);
  EXPECT_EQ(copy.from, "Pageable");
  EXPECT_EQ(copy.to, "Device");
  EXPECT_EQ(details_.TransferOf(OffsetOf("aten::mm")).bytes, -1);
  const profile::Transfer jax = details_.TransferOf(OffsetOf("MemcpyD2H"));
  EXPECT_EQ(jax.kind, profile::CopyKind::kToHost);
  EXPECT_EQ(jax.bytes, 64);
  EXPECT_EQ(jax.to, "pageable");
}

TEST_F(RecordDetailsTest, KindsOfCopies) {
  const auto kind_of = [](const std::string& name) {
    const std::string text = R"([{"ph":"X","name":")" + name + R"(","ts":1}])";
    return EventDetails(loaders::InputFile::FromBytes("t", text))
        .TransferOf(1)
        .kind;
  };
  EXPECT_EQ(kind_of("Memcpy DtoH (Device -> Pinned)"),
            profile::CopyKind::kToHost);
  EXPECT_EQ(kind_of("Memcpy DtoD (Device -> Device)"),
            profile::CopyKind::kOnDevice);
  EXPECT_EQ(kind_of("Memcpy PtoP (Device -> Device)"),
            profile::CopyKind::kToPeer);
  EXPECT_EQ(kind_of("Memset (Device)"), profile::CopyKind::kOnDevice);
  EXPECT_EQ(kind_of("CopyHostToDevice"), profile::CopyKind::kToDevice);
  EXPECT_EQ(kind_of("Memcpy"), profile::CopyKind::kUnknown);
}

TEST_F(RecordDetailsTest, OffsetsWithoutAnEvent) {
  for (const uint64_t offset :
       {uint64_t{0}, uint64_t{5}, kText.size(), kText.size() + 100}) {
    EXPECT_TRUE(details_.Arguments(offset).empty()) << offset;
    EXPECT_EQ(details_.TransferOf(offset).bytes, -1) << offset;
  }
}

}  // namespace event_details_test
}  // namespace
}  // namespace tfprof::chrome_json
