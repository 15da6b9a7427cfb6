#include "loaders/ctf/language/tsdl.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::ctf {
namespace {
namespace tsdl_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TraceTypes Parsed(const std::string& text) {
  TraceTypes types;
  EXPECT_EQ(ParseTsdl(text, types), "") << text;
  return types;
}

std::string Error(const std::string& text) {
  TraceTypes types;
  return ParseTsdl(text, types);
}

// Declares an event with these fields.
std::string Event(const std::string& fields) {
  return "event { id = 3; fields := struct { " + fields + " }; };";
}

// Returns the type of a field of the first event.
FieldType Field(const TraceTypes& types, const std::string& name) {
  for (const FieldType::Field& field :
       types.types[types.events.at(0).payload].fields) {
    if (field.name == name) return types.types[field.type];
  }
  ADD_FAILURE() << "no field " << name;
  return {};
}
FieldType FieldOf(const std::string& fields, const std::string& name) {
  return Field(Parsed(Event(fields)), name);
}

TEST(Tsdl, IntegersHaveTheirAttributes) {
  const TraceTypes types = Parsed(Event(
      "integer { size = 12; } odd; integer { size = 16; } whole;"
      " integer { size = 8; align = 32; signed = true; encoding = UTF8; } c;"
      " integer { size = 64; byte_order = be; map = clock.k.value; } time;"));
  const FieldType odd = Field(types, "odd");
  EXPECT_EQ(odd.size, 12u);
  EXPECT_EQ(odd.alignment, 1u) << "no bytes";
  EXPECT_FALSE(odd.is_signed);
  EXPECT_EQ(Field(types, "whole").alignment, 8u);
  const FieldType c = Field(types, "c");
  EXPECT_EQ(c.alignment, 32u);
  EXPECT_TRUE(c.is_signed);
  EXPECT_TRUE(c.is_text);
  EXPECT_TRUE(Field(types, "time").big_endian);
  EXPECT_EQ(Field(types, "time").clock, "k");
}

TEST(Tsdl, TypesHaveTheOrderOfTheTraceUnlessTheySayTheirs) {
  const TraceTypes types = Parsed(
      "typealias integer { size = 32; } := u32;"
      "typealias integer { size = 32; byte_order = le; } := little;"
      "trace { byte_order = be; };" +
      Event("u32 a; little b; integer { size = 8; byte_order = native; } c;"));
  EXPECT_TRUE(types.big_endian);
  EXPECT_TRUE(Field(types, "a").big_endian);
  EXPECT_FALSE(Field(types, "b").big_endian);
  EXPECT_TRUE(Field(types, "c").big_endian);
}

TEST(Tsdl, RealsHave32Or64Bits) {
  const std::string single =
      "floating_point { exp_dig = 8; mant_dig = 24; align = 32; } r;";
  EXPECT_EQ(FieldOf(single, "r").kind, FieldType::kReal);
  EXPECT_EQ(FieldOf(single, "r").size, 32u);
  EXPECT_EQ(
      FieldOf("floating_point { exp_dig = 11; mant_dig = 53; } r;", "r").size,
      64u);
  EXPECT_THAT(
      Error(Event("floating_point { exp_dig = 15; mant_dig = 113; } r;")),
      HasSubstr("a floating point of 32 or 64 bits"));
}

TEST(Tsdl, LabelsOfAnEnumerationCountOn) {
  const FieldType type = FieldOf(
      "enum : integer { size = 8; signed = 1; }"
      " { A, B = 5, C, D = 10 ... 20, \"e f\", G = -3, H } e;",
      "e");
  std::vector<std::string> ranges;
  for (const FieldType::Range& range : type.ranges) {
    ranges.push_back(range.label + " " + std::to_string(range.first) + " " +
                     std::to_string(range.last));
  }
  EXPECT_THAT(ranges, ElementsAre("A 0 0", "B 5 5", "C 6 6", "D 10 20",
                                  "e f 21 21", "G -3 -3", "H -2 -2"));
}

TEST(Tsdl, TheFirstDimensionIsTheOuterOne) {
  const TraceTypes types =
      Parsed(Event("integer { size = 8; encoding = ASCII; } text[4];"
                   " integer { size = 8; } n, all[2][n];"));
  EXPECT_TRUE(Field(types, "text").is_text);
  const FieldType outer = Field(types, "all");
  EXPECT_EQ(outer.kind, FieldType::kArray);
  EXPECT_EQ(outer.count, 2u);
  const FieldType inner = types.types[outer.element];
  EXPECT_EQ(inner.kind, FieldType::kSequence);
  EXPECT_THAT(inner.path.names, ElementsAre("n"));
  EXPECT_FALSE(inner.is_text);
  EXPECT_EQ(Field(types, "n").kind, FieldType::kInteger);
}

TEST(Tsdl, AVariantMayGetItsTagLater) {
  const TraceTypes types =
      Parsed("variant v { integer { size = 8; } x; string y; };" +
             Event("enum : integer { size = 8; } { x, y } tag;"
                   " variant v <tag> value;"));
  const FieldType variant = Field(types, "value");
  EXPECT_EQ(variant.kind, FieldType::kVariant);
  EXPECT_THAT(variant.path.names, ElementsAre("tag"));
  ASSERT_THAT(variant.options, SizeIs(2));
  EXPECT_EQ(variant.options[1].name, "y");
}

TEST(Tsdl, PathsFromTheRootNameTheirPart) {
  const auto path = [](const std::string& words) {
    return FieldOf("string all[" + words + "];", "all").path;
  };
  EXPECT_FALSE(path("a._b").absolute);
  EXPECT_THAT(path("a._b").names, ElementsAre("a", "b"));
  EXPECT_TRUE(path("stream.packet.context._n").absolute);
  EXPECT_EQ(path("stream.packet.context._n").scope, Scope::kPacketContext);
  EXPECT_THAT(path("stream.packet.context._n").names, ElementsAre("n"));
  EXPECT_EQ(path("event.fields.n").scope, Scope::kPayload);
  EXPECT_FALSE(path("event.fields").absolute) << "a field may be called so";
}

TEST(Tsdl, NamesOfABlockAreForgottenAtItsEnd) {
  const std::string inside =
      "stream { typealias integer { size = 8; } := byte;"
      " event.header := struct { byte id; }; };";
  EXPECT_THAT(Parsed(inside).streams, SizeIs(1));
  EXPECT_THAT(Error(inside + Event("byte b;")),
              HasSubstr("a type that is declared, not 'byte'"));
}

TEST(Tsdl, ATraceHasAnIdEnvironmentAndClocks) {
  const TraceTypes types = Parsed(
      "trace { uuid = \"00112233-4455-6677-8899-aabbccddeeff\"; };"
      "env { hostname = \"h\\\"1\"; tracer_major = 2; };"
      "clock { name = k; freq = 1000; offset_s = 5; offset = -7; };"
      "callsite { name = \"x\"; };");
  ASSERT_TRUE(types.has_uuid);
  EXPECT_EQ(types.uuid[1], 0x11);
  EXPECT_EQ(types.uuid[15], 0xff);
  EXPECT_EQ(types.Environment("hostname"), "h\"1");
  EXPECT_EQ(types.Environment("tracer_major"), "2");
  EXPECT_EQ(types.Environment("none"), "");
  ASSERT_THAT(types.clocks, SizeIs(1));
  EXPECT_EQ(types.clocks[0].frequency, 1000u);
  EXPECT_EQ(types.clocks[0].offset_seconds, 5);
  EXPECT_EQ(types.clocks[0].offset_cycles, -7);
}

TEST(Tsdl, AnErrorSaysLineByteAndBothWords) {
  EXPECT_EQ(Error("trace {\n  minor = ; };"),
            "line 2, byte 18 of the text: expected a value, found ';'");
  EXPECT_EQ(Error("trace {"),
            "line 1, byte 7 of the text: expected a name, found the end");
}

TEST(Tsdl, ValuesThatCannotBeAreErrors) {
  EXPECT_THAT(Error("trace { uuid = \"0011\"; };"), HasSubstr("a uuid of 32"));
  EXPECT_THAT(Error("trace { byte_order = middle; };"),
              HasSubstr("'le' or 'be'"));
  EXPECT_THAT(Error("clock { freq = 0; };"), HasSubstr("a frequency above 0"));
  EXPECT_THAT(Error("event { id = -1; };"), HasSubstr("a number before this"));
  EXPECT_THAT(Error(Event("integer { signed = 1; } a;")),
              HasSubstr("an integer with a size"));
  for (const std::string size : {"0", "65", "-8"}) {
    EXPECT_THAT(Error(Event("integer { size = " + size + "; } a;")),
                HasSubstr("a size from 1 to 64"))
        << size;
  }
  EXPECT_THAT(Error(Event("integer { size = 8; align = 3; } a;")),
              HasSubstr("an alignment that is a power of 2"));
  EXPECT_THAT(Error(Event("integer { size = 8; align = 2097152; } a;")),
              HasSubstr("an alignment that is a power of 2"));
  EXPECT_THAT(Error(Event("enum : struct { } { A } e;")),
              HasSubstr("an enumeration of integers"));
  EXPECT_THAT(Error("surprise;"), HasSubstr("expected a declaration"));
}

TEST(Tsdl, WhatStandsBeforeAnErrorIsKept) {
  TraceTypes types;
  EXPECT_NE(
      ParseTsdl("clock { name = k; }; stream { id = 1; }; stream {", types),
      "");
  EXPECT_THAT(types.clocks, SizeIs(1));
  EXPECT_THAT(types.streams, SizeIs(1));
}

TEST(Tsdl, TypesThatAreTooDeepAreErrors) {
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "struct { ";
  EXPECT_THAT(Error(Event(deep)), HasSubstr("at most 64 deep"));
  std::string dimensions = "string s";
  for (int i = 0; i < 1000; ++i) dimensions += "[1]";
  EXPECT_THAT(Error(Event(dimensions + ";")), HasSubstr("64 dimensions"));
}

TEST(Tsdl, EntriesThatNobodyKnowsAreCounted) {
  EXPECT_THAT(
      Parsed("trace { major = 1; minor = 8; uuid2 = 3; };"
             "clock { name = c; precision = 1; sped = 2; };"
             "stream { ib = 0; };"
             "event { id = 0; loglevel = 13; nane = x; };"
             "typealias integer { size = 8; base = hex; sise = 8;"
             " map = clock.d.value; } := a;")
          .unknown,
      ElementsAre("uuid2", "sped", "ib", "nane", "sise", "map = clock.d"));
  EXPECT_THAT(Error(Event("string s; string t; string s;")),
              HasSubstr("not two 's'"));
  EXPECT_THAT(Error("trace { major = 2; };"), HasSubstr("version 1"));
  EXPECT_THAT(Error("typealias integer { size = 8; signed = falce; } := a;"),
              HasSubstr("'true' or 'false'"));
}

TEST(Tsdl, NoTextIsNoTypes) {
  const TraceTypes types = Parsed("/* nothing */ ;");
  EXPECT_THAT(types.streams, IsEmpty());
  EXPECT_TRUE(types.roles_by_name);
}

}  // namespace tsdl_test
}  // namespace
}  // namespace tfprof::ctf
