#include "loaders/ctf/language/ctf2_json.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::ctf {
namespace {
namespace ctf2_json_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kByte[] =
    R"({"type": "fixed-length-unsigned-integer", "length": 8,
        "byte-order": "little-endian"})";

TraceTypes Parsed(const std::string& text) {
  TraceTypes types;
  EXPECT_EQ(ParseCtf2(text, types), "") << text;
  return types;
}
std::string Error(const std::string& text) {
  TraceTypes types;
  return ParseCtf2(text, types);
}

std::string Event(const std::string& payload) {
  return "\x1e{\"type\": \"event-record-class\", \"payload-field-class\": " +
         payload + "}";
}
FieldType Payload(const std::string& field_class) {
  const TraceTypes types = Parsed(Event(field_class));
  return types.types.at(types.events.at(0).payload);
}

TEST(Ctf2Json, NumbersHaveSizeSignAndOrder) {
  const FieldType integer = Payload(
      R"({"type": "fixed-length-signed-integer", "length": 12,
          "alignment": 4, "byte-order": "big-endian",
          "roles": ["default-clock-timestamp", "unknown-role"]})");
  EXPECT_EQ(integer.kind, FieldType::kInteger);
  EXPECT_EQ(integer.size, 12u);
  EXPECT_EQ(integer.alignment, 4u);
  EXPECT_TRUE(integer.is_signed);
  EXPECT_TRUE(integer.big_endian);
  EXPECT_EQ(integer.role, FieldRole::kTimestamp);
  const FieldType real = Payload(
      R"({"type": "fixed-length-floating-point-number", "length": 64,
          "byte-order": "little-endian"})");
  EXPECT_EQ(real.kind, FieldType::kReal);
  const FieldType variable =
      Payload(R"({"type": "variable-length-signed-enumeration"})");
  EXPECT_EQ(variable.kind, FieldType::kVariableInteger);
  EXPECT_EQ(variable.alignment, 8u);
  EXPECT_TRUE(variable.is_signed);
}

TEST(Ctf2Json, MappingsAreRangesOfLabels) {
  const FieldType type = Payload(
      R"({"type": "fixed-length-signed-enumeration", "length": 8,
          "mappings": {"low": [[-5, -1], 0], "h\"igh": [[7, 9]]}})");
  ASSERT_THAT(type.ranges, SizeIs(3));
  EXPECT_EQ(type.ranges[0].label, "low");
  EXPECT_EQ(type.ranges[0].first, -5);
  EXPECT_EQ(type.ranges[0].last, -1);
  EXPECT_EQ(type.ranges[1].first, 0);
  EXPECT_EQ(type.ranges[1].last, 0);
  EXPECT_EQ(type.ranges[2].label, "h\"igh");
}

TEST(Ctf2Json, ArraysTextsAndBlobs) {
  const FieldType fixed = Payload(
      R"({"type": "static-length-array", "length": 3,
          "element-field-class": )" +
      std::string(kByte) + "}");
  EXPECT_EQ(fixed.kind, FieldType::kArray);
  EXPECT_EQ(fixed.count, 3u);
  const FieldType text = Payload(
      R"({"type": "dynamic-length-string", "length-field-location":
          {"origin": "packet-context", "path": ["a", null, "n"]}})");
  EXPECT_EQ(text.kind, FieldType::kSequence);
  EXPECT_TRUE(text.is_text);
  EXPECT_TRUE(text.path.absolute);
  EXPECT_EQ(text.path.scope, Scope::kPacketContext);
  EXPECT_THAT(text.path.names, ElementsAre("a", "n"));
  const FieldType blob =
      Payload(R"({"type": "static-length-blob", "length": 16})");
  EXPECT_EQ(blob.kind, FieldType::kArray);
  EXPECT_FALSE(blob.is_text);
  EXPECT_EQ(Payload(R"({"type": "null-terminated-string"})").kind,
            FieldType::kString);
}

TEST(Ctf2Json, OptionsOfVariantsAndOptionalsHaveRanges) {
  const FieldType variant = Payload(
      R"({"type": "variant", "selector-field-location": ["tag"], "options": [
          {"name": "x", "selector-field-ranges": [[1, 2]], "field-class": )" +
      std::string(kByte) +
      R"(}, {"selector-field-ranges": [[3, 3], [7, 8]], "field-class": )" +
      kByte + "}]}");
  ASSERT_THAT(variant.options, SizeIs(2));
  EXPECT_FALSE(variant.path.absolute);
  EXPECT_THAT(variant.path.names, ElementsAre("tag"));
  EXPECT_THAT(variant.options[1].ranges, SizeIs(2));
  const FieldType optional = Payload(
      R"({"type": "optional", "selector-field-location": ["tag"],
          "selector-field-ranges": [[4, 6]], "field-class": )" +
      std::string(kByte) + "}");
  EXPECT_EQ(optional.kind, FieldType::kOptional);
  ASSERT_THAT(optional.ranges, SizeIs(1));
  EXPECT_EQ(optional.ranges[0].last, 6);
}

TEST(Ctf2Json, AnAliasStandsForItsClass) {
  const TraceTypes types = Parsed(
      "\x1e{\"type\": \"field-class-alias\", \"name\": \"byte\", "
      "\"field-class\": " +
      std::string(kByte) + "}" + Event("\"byte\""));
  EXPECT_EQ(types.types.at(types.events.at(0).payload).size, 8u);
  EXPECT_THAT(Error(Event("\"byte\"")), HasSubstr("the name of a field class"));
}

TEST(Ctf2Json, FragmentsDeclareTraceClocksAndStreams) {
  const TraceTypes types = Parsed(
      "\x1e{\"type\": \"preamble\", \"version\": 2, \"uuid\": "
      "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255]}"
      "\x1e{\"environment\": {\"hostname\": \"h\", \"n\": 5}, "
      "\"type\": \"trace-class\"}"
      "\x1e{\"type\": \"clock-class\", \"name\": \"k\", \"frequency\": 1000, "
      "\"offset-from-origin\": {\"seconds\": -2, \"cycles\": 3}}"
      "\x1e{\"type\": \"of-a-later-version\", \"x\": [1, {}]}"
      "\x1e{\"type\": \"data-stream-class\", \"id\": 7, "
      "\"default-clock-class-name\": \"k\"}");
  EXPECT_TRUE(types.has_uuid);
  EXPECT_EQ(types.uuid[15], 255);
  EXPECT_EQ(types.Environment("hostname"), "h");
  EXPECT_EQ(types.Environment("n"), "5");
  ASSERT_THAT(types.clocks, SizeIs(1));
  EXPECT_EQ(types.clocks[0].offset_seconds, -2);
  EXPECT_EQ(types.clocks[0].offset_cycles, 3);
  ASSERT_THAT(types.streams, SizeIs(1));
  EXPECT_EQ(types.streams[0].id, 7u);
  EXPECT_EQ(types.streams[0].clock, "k");
  EXPECT_FALSE(types.roles_by_name);
}

TEST(Ctf2Json, ClassesThatCannotBeAreErrors) {
  const auto error = [](const std::string& field_class) {
    return Error(Event(field_class));
  };
  EXPECT_THAT(error(R"({"type": "surprise"})"), HasSubstr("'surprise'"));
  EXPECT_THAT(
      error(R"({"type": "fixed-length-unsigned-integer", "length": 65})"),
      HasSubstr("a number of 1 to 64 bits"));
  EXPECT_THAT(
      error(R"({"type": "fixed-length-floating-point-number", "length": 16})"),
      HasSubstr("a real of 32 or 64"));
  EXPECT_THAT(error(R"({"type": "fixed-length-unsigned-integer", "length": 8,
                        "alignment": 3})"),
              HasSubstr("a power of 2"));
  EXPECT_THAT(error(R"({"byte-order": "middle"})"),
              HasSubstr("\"little-endian\" or \"big-endian\""));
  EXPECT_THAT(error(R"({"type": "static-length-string"})"),
              HasSubstr("a static length"));
  EXPECT_THAT(error(R"({"type": "dynamic-length-array"})"),
              HasSubstr("a class of elements"));
  EXPECT_THAT(error(R"({"type": "variant", "options": [{"name": "x"}]})"),
              HasSubstr("an option with a field class and ranges"));
  EXPECT_THAT(error(R"({"type": "dynamic-length-string",
                        "length-field-location": {"origin": "moon"}})"),
              HasSubstr("a known origin"));
  EXPECT_THAT(error("5"), HasSubstr("a field class"));
}

TEST(Ctf2Json, ClassesThatAreTooDeepAreErrors) {
  std::string deep;
  for (int i = 0; i < 1000; ++i) {
    deep += R"({"type": "optional", "field-class": )";
  }
  deep += kByte + std::string(1000, '}');
  EXPECT_THAT(Error(Event(deep)), HasSubstr("at most 64 deep"));
}

TEST(Ctf2Json, FragmentsBeforeAnErrorAreKept) {
  TraceTypes types;
  const std::string error = ParseCtf2(
      "\x1e{\"type\": \"data-stream-class\"}\x1e{\"type\": \"event-record-class"
      "\", \"name\": \"cut",
      types);
  EXPECT_THAT(error, HasSubstr("byte"));
  EXPECT_THAT(types.streams, SizeIs(1));
  EXPECT_THAT(types.events, IsEmpty());
}

TEST(Ctf2Json, VersionsAndFragmentsThatAreUnknownAreErrors) {
  EXPECT_THAT(Error("\x1e{\"type\": \"preamble\", \"version\": 3}"),
              HasSubstr("version 2 of CTF"));
  EXPECT_THAT(Error("\x1e[1]"), HasSubstr("a fragment, which is an object"));
  EXPECT_THAT(Error("\x1e{\"version\": 2}"),
              HasSubstr("a fragment with a type"));
}

}  // namespace ctf2_json_test
}  // namespace
}  // namespace tfprof::ctf
