#include "util/files/wire.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/files/wire_writer.h"

namespace tfprof::util {
namespace {

using namespace std::string_view_literals;  // NOLINT: bytes with zeros
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(WireReaderTest, FieldsInOrder) {
  WireWriter w;
  w.Int64(1, -1);
  w.Bytes(2, "text");
  w.Int64(100000, 1 << 20);
  WireReader r(w.bytes());
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.tag(), VarintTag(1));
  EXPECT_EQ(r.int64(), -1);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.tag(), LengthTag(2));
  EXPECT_EQ(r.view(), "text");
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.number(), 100000u);
  EXPECT_EQ(r.int32(), 1 << 20);
  EXPECT_FALSE(r.Next());
  EXPECT_FALSE(r.damaged());
  EXPECT_EQ(r.good_bytes(), w.size());
  EXPECT_EQ(r.Describe(0), "");
}

TEST(WireReaderTest, NoBytesAreAMessage) {
  WireReader r("");
  EXPECT_FALSE(r.Next());
  EXPECT_FALSE(r.damaged());
  EXPECT_EQ(r.good_bytes(), 0u);
}

TEST(WireReaderTest, FixedNumbers) {
  WireReader r("\x0d\x01\x02\x03\x04\x11\x01\0\0\0\0\0\0\x80"sv);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.number(), 1u);
  EXPECT_EQ(r.value(), 0x04030201u);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.number(), 2u);
  EXPECT_EQ(r.value(), 0x8000000000000001u);
  EXPECT_FALSE(r.Next());
  EXPECT_FALSE(r.damaged());
}

TEST(WireReaderTest, GroupsAreSkippedWithTheirContent) {
  // Field 1 as a group with a varint, a string, a nested group and both fixed
  // sizes; then field 2.
  WireReader r(
      "\x0b\x10\x05\x1a\x01x\x23\x28\x01\x24"
      "\x35\x01\x02\x03\x04\x39\x01\x02\x03\x04\x05\x06\x07\x08\x0c"
      "\x10\x07"sv);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.number(), 1u);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.tag(), VarintTag(2));
  EXPECT_EQ(r.int64(), 7);
  EXPECT_FALSE(r.Next());
  EXPECT_FALSE(r.damaged());
}

TEST(WireReaderTest, DeepGroupsNeedNoStack) {
  const std::string deep =
      std::string(1000000, '\x0b') + std::string(1000000, '\x0c');
  WireReader r(deep);
  EXPECT_TRUE(r.Next());
  EXPECT_FALSE(r.Next());
  EXPECT_FALSE(r.damaged());
}

// Damaged bytes, the size of their good part, and a part of the error text. The
// message begins at byte 1000 of its file.
struct Damaged {
  std::string_view bytes;
  size_t good;
  std::string_view words;
};

TEST(WireReaderTest, DamageIsAStateWithAnOffset) {
  const Damaged cases[] = {
      {"\x08\x01\x12\x05"
       "ab"sv,
       2, "byte 1002: field 2: length 5 exceeds the 2 bytes left"},
      {"\x08\x01\x08\xff"sv, 2,
       "byte 1002: a number needs more than the 2 bytes left"},
      {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv, 0,
       "longer than 10 bytes"},
      {"\x08\x01\x0e"sv, 2, "byte 1002: field 1: wire type 6 does not exist"},
      {"\x0c"sv, 0, "byte 1000: field 1: wire type 4 does not exist"},
      {"\x08\x01\x00"sv, 2, "byte 1002: 0 is not a field tag"},
      {"\x0d\x01\x02"sv, 0, "a fixed number exceeds the 2 bytes left"},
      {"\x11\x01\x02\x03\x04\x05\x06\x07"sv, 0, "exceeds the 7 bytes left"},
      {"\x08\x01\x0b\x10\x05"sv, 2, "field 1: a group without a proper end"},
      {"\x0b\x14"sv, 0, "field 1: a group without a proper end"},
  };
  for (const Damaged& c : cases) {
    SCOPED_TRACE(c.words);
    WireReader r(c.bytes);
    while (r.Next()) {
    }
    EXPECT_TRUE(r.damaged());
    EXPECT_EQ(r.good_bytes(), c.good);
    EXPECT_THAT(r.Describe(1000), HasSubstr(std::string(c.words)));
  }
}

TEST(WireReaderTest, TheRestOfACutField) {
  WireReader cut("\x12\x64only this"sv);
  EXPECT_FALSE(cut.Next());
  EXPECT_EQ(cut.rest(), "only this");
  WireReader bad("\x0e"sv);
  EXPECT_FALSE(bad.Next());
  EXPECT_EQ(bad.rest(), "");
}

// If a message is truncated anywhere, the reader ends, reports damage unless
// the cut is between two fields, and has read all complete fields before the
// cut.
TEST(WireReaderTest, CutAtEveryByte) {
  WireWriter w;
  std::vector<size_t> ends = {0};
  for (uint32_t field = 1; field < 40; ++field) {
    if (field % 3 == 0) {
      w.Bytes(field, std::string(size_t{field} * 5, 'x'));
    } else {
      w.Int64(field << 4, field % 2 == 0 ? -int64_t{field} : field << 9);
    }
    ends.push_back(w.size());
  }
  size_t whole = 0;
  for (size_t size = 0; size <= w.size(); ++size) {
    if (whole + 1 < ends.size() && ends[whole + 1] == size) ++whole;
    WireReader r(w.bytes().substr(0, size));
    size_t fields = 0;
    while (r.Next()) ++fields;
    EXPECT_EQ(fields, whole) << size;
    EXPECT_EQ(r.damaged(), ends[whole] != size) << size;
    EXPECT_EQ(r.good_bytes(), ends[whole]) << size;
  }
}

TEST(WireReaderTest, AnyBytesEnd) {
  uint32_t x = 11;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    const size_t size = (x = x * 1664525 + 1013904223) >> 27;
    for (size_t i = 0; i < size; ++i) {
      bytes.push_back(static_cast<char>((x = x * 1664525 + 1013904223) >> 24));
    }
    WireReader r(bytes);
    size_t fields = 0;
    while (r.Next()) ++fields;
    EXPECT_LE(fields, bytes.size());
    EXPECT_LE(r.good_bytes(), bytes.size());
    EXPECT_EQ(r.damaged(), !r.Describe(0).empty());
  }
}

std::string Varint(uint64_t v) {
  std::string bytes;
  for (; v >= 0x80; v >>= 7) bytes += static_cast<char>(v | 0x80);
  return bytes + static_cast<char>(v);
}

TEST(WireReaderTest, OverlongNumbers) {
  // A varint has at most ten bytes.
  const std::string ten = std::string(9, '\xff') + '\x01';
  const std::string message = "\x08" + ten;
  WireReader r(message);
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.int64(), -1);
  const std::string padded =
      std::string("\x08\x81") + std::string(8, '\x80') + std::string(1, '\0');
  WireReader zeros(padded);
  ASSERT_TRUE(zeros.Next());
  EXPECT_EQ(zeros.value(), 1u);
  const std::string eleven = "\x08" + std::string(10, '\xff') + '\x01';
  WireReader overlong(eleven);
  EXPECT_FALSE(overlong.Next());
  EXPECT_TRUE(overlong.damaged());
  // A tag has 32 bits.
  const std::string big_tag = Varint(uint64_t{1} << 35) + "\x01";
  WireReader tag(big_tag);
  EXPECT_FALSE(tag.Next());
  EXPECT_TRUE(tag.damaged());
}

TEST(WireReaderTest, LengthsOf64Bits) {
  for (const uint64_t length :
       {uint64_t{1} << 31, uint64_t{1} << 32, (uint64_t{1} << 32) + 2,
        uint64_t{1} << 63, ~uint64_t{0}}) {
    const std::string bytes = "\x0a" + Varint(length) + "abc";
    WireReader r(bytes);
    EXPECT_FALSE(r.Next()) << length;
    EXPECT_TRUE(r.damaged()) << length;
    EXPECT_EQ(r.rest(), "abc") << length;
    EXPECT_THAT(r.Describe(0), HasSubstr("length " + std::to_string(length)));
  }
}

TEST(MapEntryTest, MissingPartsHaveDefaults) {
  MapEntry entry;
  WireWriter w;
  w.Bytes(1, "key");
  w.Int64(2, -5);
  EXPECT_TRUE(ReadMapEntry(w.bytes(), entry));
  EXPECT_EQ(entry.string_key, "key");
  EXPECT_EQ(entry.int_value, -5);
  EXPECT_TRUE(ReadMapEntry("", entry));  // resets the entry
  EXPECT_EQ(entry.string_key, "");
  EXPECT_EQ(entry.int_value, 0);
  EXPECT_FALSE(ReadMapEntry("\x0a\x05k", entry));
}

TEST(AppendIntsTest, PackedAndNot) {
  std::vector<int64_t> values;
  WireWriter w;
  const int64_t packed[] = {1, -1, std::numeric_limits<int64_t>::min()};
  w.PackedInt64(3, packed);
  w.Int64(3, 300);
  WireReader r(w.bytes());
  while (r.Next()) EXPECT_TRUE(AppendInts(r, values));
  EXPECT_THAT(values,
              ElementsAre(1, -1, std::numeric_limits<int64_t>::min(), 300));
}

TEST(AppendIntsTest, DamageInPackedNumbers) {
  for (const std::string_view bytes :
       {"\x1a\x01\xff"sv,
        "\x1a\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv}) {
    WireReader r(bytes);
    ASSERT_TRUE(r.Next());
    std::vector<int64_t> values;
    EXPECT_FALSE(AppendInts(r, values));
    EXPECT_THAT(values, IsEmpty());
  }
}

}  // namespace
}  // namespace tfprof::util
