#include "loaders/perfetto/packet.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

#include "loaders/perfetto/perfetto_testing.h"

namespace tfprof::perfetto {
namespace {

std::string Deflate(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  packed.resize(size);
  return packed;
}

TEST(PacketTest, HasTimeSequenceAndFlags) {
  const std::string bytes = Message([](auto& w) {
    w.Int64(8, 77);
    w.Int64(10, 5);
    w.Int64(13, 3);
    w.Int64(42, 1);
    w.Int64(58, 64);
    w.Bytes(11, "");
  });
  Packet packet;
  ASSERT_TRUE(ReadPacket(bytes, packet));
  EXPECT_TRUE(packet.has_time);
  EXPECT_EQ(packet.time, 77);
  EXPECT_EQ(packet.sequence, 5u);
  EXPECT_EQ(packet.clock, 64u);
  EXPECT_TRUE(packet.cleared);
  EXPECT_TRUE(packet.dropped);
  EXPECT_TRUE(packet.has_event);
  EXPECT_FALSE(ReadPacket(bytes.substr(0, bytes.size() - 1), packet));
}

TEST(PacketTest, LooksUnlikeMessagesWithSmallFieldNumbers) {
  const auto looks = [](const Fill& fill) {
    return LooksLikePacket(Message(fill));
  };
  EXPECT_TRUE(looks([](auto& w) { w.Int64(10, 1); }));
  EXPECT_TRUE(looks([](auto& w) { w.Bytes(60, "track"); }));
  EXPECT_TRUE(looks([](auto& w) { w.Bytes(50, "\x78\x9c"); }));
  EXPECT_FALSE(looks([](auto& w) { w.Bytes(50, "text"); }));
  EXPECT_FALSE(looks([](auto& w) {
    w.Bytes(1, "node");
    w.Int64(10, 1);
  }));
  EXPECT_FALSE(LooksLikePacket(""));
}

TEST(PacketTest, InflatesUpToTheLimit) {
  const std::string text(1000, 'a');
  const std::string packed = Deflate(text);
  std::string bytes;
  EXPECT_EQ(InflatePackets(packed, 1000, bytes), Inflated::kWhole);
  EXPECT_EQ(bytes, text);
  EXPECT_EQ(InflatePackets(packed, 999, bytes), Inflated::kTooLarge);
  EXPECT_EQ(bytes, "");
  EXPECT_EQ(InflatePackets(packed, 0, bytes), Inflated::kTooLarge);
}

TEST(PacketTest, InflatesWhatIsBeforeDamage) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919);
  const std::string packed = Deflate(text);
  std::string bytes;
  EXPECT_EQ(
      InflatePackets(std::string_view(packed).substr(0, packed.size() / 2),
                     text.size(), bytes),
      Inflated::kDamaged);
  EXPECT_GT(bytes.size(), 100u);
  EXPECT_TRUE(text.starts_with(bytes));
  EXPECT_EQ(InflatePackets("no zlib", 100, bytes), Inflated::kDamaged);
  EXPECT_EQ(InflatePackets("", 100, bytes), Inflated::kDamaged);
}

TEST(PacketTest, AddsUpLossesOfAllBuffers) {
  const PacketLosses losses = ReadPacketLosses(Message([](auto& w) {
    for (int i = 1; i <= 2; ++i) {
      const util::WireMessage buffer(w, 1);
      w.Int64(3, i);
      w.Int64(18, 10 * i);
      w.Int64(19, 100 * i);
    }
    w.Int64(8, 5);
    w.Int64(10, 7);
  }));
  EXPECT_EQ(losses.chunks_overwritten, 3u);
  EXPECT_EQ(losses.chunks_discarded, 35u);
  EXPECT_EQ(losses.writer_losses, 300u);
  EXPECT_EQ(losses.invalid_packets, 7u);
}

}  // namespace
}  // namespace tfprof::perfetto
