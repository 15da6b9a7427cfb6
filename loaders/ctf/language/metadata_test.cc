#include "loaders/ctf/language/metadata.h"

#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/ctf/ctf_testing.h"

namespace tfprof::ctf {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kStream[] = "/* CTF 1.8 */ stream { id = 4; };";

struct PacketOptions {
  bool big_endian = false;
  uint32_t padding = 0;  // bytes after the text
  uint32_t missing = 0;  // bytes that the packet claims but lacks
  uint8_t compression = 0;
};

// Makes a packet of metadata with this text.
std::string MetadataPacket(const std::string& text,
                           const PacketOptions& options = {}) {
  std::string bytes;
  const auto put = [&](uint32_t value) {
    std::string four = ByteWriter().Put(value).bytes();
    if (options.big_endian) std::reverse(four.begin(), four.end());
    bytes += four;
  };
  const auto content = static_cast<uint32_t>(37 + text.size());
  put(0x75d11d57);
  bytes.append(16, 'u');
  put(0);
  put((content + options.missing) * 8);
  put((content + options.missing + options.padding) * 8);
  bytes += static_cast<char>(options.compression);
  bytes.append(4, '\0');
  return bytes + text + std::string(options.padding, 'x');
}

std::string TextOf(const std::string& bytes, std::string& damage) {
  damage.clear();
  return MetadataText(bytes, damage);
}

TEST(Metadata, ATextIsItself) {
  std::string damage;
  EXPECT_EQ(TextOf(kStream, damage), kStream);
  EXPECT_EQ(damage, "");
}

TEST(Metadata, PacketsOfEitherOrderAreJoined) {
  std::string damage;
  EXPECT_EQ(TextOf(MetadataPacket("ab", {.padding = 5}) +
                       MetadataPacket("cd", {.big_endian = true}),
                   damage),
            "abcd");
  EXPECT_EQ(damage, "");
}

TEST(Metadata, TheLastPaddingMayBeLeftOut) {
  std::string bytes = MetadataPacket("ab", {.padding = 5});
  bytes.resize(bytes.size() - 5);
  std::string damage;
  EXPECT_EQ(TextOf(bytes, damage), "ab");
  EXPECT_EQ(damage, "");
}

TEST(Metadata, DamageOfPacketsNamesItsByte) {
  std::string damage;
  EXPECT_EQ(TextOf(MetadataPacket("ab", {.missing = 9}), damage), "ab");
  EXPECT_EQ(damage, "byte 0: a packet of 48 bytes, only 39 are there");
  EXPECT_EQ(TextOf(MetadataPacket("ab") + "zz", damage), "ab");
  EXPECT_EQ(damage, "byte 39: expected a packet of metadata");
  EXPECT_EQ(
      TextOf(MetadataPacket("ab") + MetadataPacket("cd", {.compression = 1}),
             damage),
      "ab");
  EXPECT_EQ(damage, "byte 71: the packet is compressed or encrypted");
}

TEST(Metadata, APacketWithoutRoomForItsHeaderIsDamage) {
  std::string bytes = MetadataPacket("ab");
  bytes[24] = 8;  // bits of its content
  bytes[25] = 0;
  std::string damage;
  EXPECT_EQ(TextOf(bytes, damage), "");
  EXPECT_EQ(damage, "byte 24: a packet of 39 bytes with a content of 1");
}

TEST(Metadata, EachHeadOfAFileIsTriedOnce) {
  // Parsing ends for every cut of a packet, and never reads beyond it.
  const std::string bytes = MetadataPacket(kStream);
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string damage;
    const std::string text = TextOf(bytes.substr(0, size), damage);
    EXPECT_LE(text.size(), size);
    if (size >= 37) {
      EXPECT_NE(damage, "") << size;
    }
  }
}

TEST(Metadata, IsKnownByItsFirstBytes) {
  EXPECT_TRUE(LooksLikeMetadata("/* CTF 1.8 */"));
  EXPECT_TRUE(LooksLikeMetadata("\n typealias integer {"));
  EXPECT_TRUE(LooksLikeMetadata(MetadataPacket(kStream)));
  EXPECT_TRUE(LooksLikeMetadata(MetadataPacket(kStream, {.big_endian = true})));
  EXPECT_TRUE(
      LooksLikeMetadata("\x1e{\"type\": \"preamble\", \"version\": 2}"));
  EXPECT_FALSE(LooksLikeMetadata("{\"type\": \"preamble\"}")) << "other JSON";
  EXPECT_FALSE(LooksLikeMetadata(MetadataPacket("hello")));
  EXPECT_FALSE(LooksLikeMetadata("hello"));
  EXPECT_FALSE(LooksLikeMetadata(""));
}

TEST(Metadata, OtherTextIsNoMetadata) {
  EXPECT_FALSE(ReadMetadata("hello").ok());
  EXPECT_FALSE(ReadMetadata("").ok());
  EXPECT_THAT(std::string(ReadMetadata(MetadataPacket("ab", {.compression = 1}))
                              .status()
                              .message()),
              HasSubstr("compressed"));
}

TEST(Metadata, WithoutAStreamItIsAnError) {
  const auto read = ReadMetadata("/* CTF 1.8 */ trace { major = ");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(std::string(read.status().message()),
              HasSubstr("the metadata declares no stream: line 1, byte 30"));
}

TEST(Metadata, WhatStandsBeforeDamageIsKept) {
  const auto read = ReadMetadata(
      TestMetadata("event { id = 0; stream_id = 0; }; event { name = "));
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read->types.events, SizeIs(1));
  EXPECT_THAT(read->damage, HasSubstr("expected a value, found the end"));
  EXPECT_EQ(read->version, 1);
}

TEST(Metadata, DamageOfAPacketIsThatOfItsText) {
  const auto read = ReadMetadata(MetadataPacket(kStream, {.missing = 4}));
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read->types.streams, SizeIs(1));
  EXPECT_THAT(read->damage, HasSubstr("byte 0: a packet of"));
}

TEST(Metadata, BytesOfAFile) {
  const auto account = [](const std::string& bytes) {
    const loaders::ByteAccount found = AccountMetadata(bytes);
    EXPECT_EQ(found.total(), static_cast<int64_t>(bytes.size()));
    return found;
  };
  const std::string stream = "stream{id=0;};";
  EXPECT_EQ(account("/* CTF 1.8 */\n" + stream + "// x\n"),
            (loaders::ByteAccount{.read = 14, .unused = 19}));
  EXPECT_EQ(account("trace {}; " + stream),
            (loaders::ByteAccount{.read = 22, .white_space = 2}));
  EXPECT_EQ(account("trace {};" + stream + "x y"),
            (loaders::ByteAccount{.read = 22, .white_space = 1, .damaged = 3}));
  const std::string packet = MetadataPacket(kStream, {.missing = 4});
  EXPECT_EQ(account(packet).damaged, 0) << "the rest is not in the file";
  const std::string whole = MetadataPacket(kStream, {});
  EXPECT_EQ(account(whole).damaged, 0);
  EXPECT_EQ(account(whole + "lost").damaged, 4);
}

}  // namespace
}  // namespace tfprof::ctf
