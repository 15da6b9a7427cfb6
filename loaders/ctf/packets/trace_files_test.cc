#include "loaders/ctf/packets/trace_files.h"

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/ctf/ctf_testing.h"

namespace tfprof::ctf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kNoFields[] = "event { id = 0; stream_id = 0; };";

struct Opened {
  loaders::ImportLog log;
  TraceFiles files;

  // Returns the numbers of the packets of the first stream.
  std::vector<uint64_t> numbers() const {
    std::vector<uint64_t> numbers;
    if (files.streams.empty()) return numbers;
    for (const Packet& packet : files.streams[0].packets) {
      numbers.push_back(packet.number);
    }
    return numbers;
  }
  std::string damage() const {
    return log.damaged() ? log.Lines().at(0) : std::string();
  }
};

Opened Open(const std::vector<std::string>& streams,
            const std::string& metadata = TestMetadata(kNoFields)) {
  Opened opened;
  auto files = OpenTest(metadata, streams, opened.log);
  EXPECT_TRUE(files.ok()) << files.status();
  if (files.ok()) opened.files = *std::move(files);
  return opened;
}

// Makes a packet without events.
std::string Numbered(uint64_t number, uint64_t discarded = 0) {
  return PacketBytes({.begin = number * 10,
                      .end = number * 10 + 5,
                      .number = number,
                      .discarded = discarded});
}

// Replaces 8 bytes of `packet` at `at` by `value`.
std::string With(std::string packet, size_t at, uint64_t value) {
  return packet.replace(at, 8, ByteWriter().Put(value).bytes());
}
constexpr size_t kContentSize = 24, kPacketSize = 32;

TEST(TraceFiles, PacketsAreInTheOrderOfTheirNumbers) {
  const Opened opened = Open({Numbered(2) + Numbered(0) + Numbered(1)});
  EXPECT_THAT(opened.numbers(), ElementsAre(0, 1, 2));
  EXPECT_EQ(opened.files.num_packets, 3u);
  EXPECT_THAT(opened.log.entries(), IsEmpty());
}

TEST(TraceFiles, GapsOfNumbersAreDroppedPackets) {
  const Opened opened = Open({Numbered(1) + Numbered(2) + Numbered(7)});
  EXPECT_EQ(opened.files.discarded_packets, 4u);
}

TEST(TraceFiles, ACopyOfAPacketCountsOnceAndIsNoDamage) {
  const Opened opened = Open({Numbered(1) + Numbered(1) + Numbered(2)});
  EXPECT_THAT(opened.numbers(), ElementsAre(1, 2));
  EXPECT_EQ(opened.files.duplicate_packets, 1u);
  EXPECT_FALSE(opened.log.damaged());
  EXPECT_THAT(opened.log.Lines()[0], HasSubstr("1 packets are in several"));
}

TEST(TraceFiles, DroppedEventsAreCountedFromPacketToPacket) {
  EXPECT_EQ(Open({Numbered(0, 3) + Numbered(1, 3) + Numbered(2, 10)})
                .files.discarded_events,
            10u);
  // The counter began again at 0.
  EXPECT_EQ(Open({Numbered(0, 1000) + Numbered(1, 4)}).files.discarded_events,
            1000u);
}

TEST(TraceFiles, SizesThatContradictEachOtherLoseTheRestOfTheFile) {
  const std::string good = Numbered(0), next = Numbered(1);
  struct Case {
    std::string packet;
    std::string message;
  };
  for (const Case& c : std::vector<Case>{
           {With(next, kContentSize, 1 << 20),
            "a packet of 448 bits with a content of 1048576"},
           {With(next, kPacketSize, 449), "not whole bytes"},
           {With(next, kPacketSize, 0), "a packet of 0 bits"},
           {With(next, kContentSize, 8),
            "a packet with a content of 8 bits; its header has 448"},
           {next.substr(0, 3), "the header of a packet is cut off"},
           {next.substr(0, 20), "the context of a packet is cut off"}}) {
    const Opened opened = Open({good + c.packet + next});
    if (c.packet.size() == next.size()) {
      EXPECT_THAT(opened.numbers(), ElementsAre(0)) << c.message;
      EXPECT_THAT(opened.damage(), HasSubstr("ch_0: byte 56: "));
      EXPECT_THAT(opened.damage(), HasSubstr(c.message));
    }
    const Opened last = Open({good + c.packet});
    EXPECT_THAT(last.numbers(), ElementsAre(0)) << c.message;
    EXPECT_THAT(last.damage(), HasSubstr(c.message));
  }
}

TEST(TraceFiles, APacketThatIsCutOffStays) {
  const Opened opened =
      Open({PacketBytes({.number = 4, .events = "abc", .missing = 50})});
  EXPECT_THAT(opened.numbers(), ElementsAre(4));
  const Packet& packet = opened.files.streams[0].packets[0];
  EXPECT_TRUE(packet.cut);
  EXPECT_EQ(packet.limit, (56u + 3) * 8);
  EXPECT_THAT(opened.damage(),
              HasSubstr("a packet of 109 bytes is cut off after 59"));
}

TEST(TraceFiles, PaddingThatIsMissingIsNoLossOfContent) {
  const Opened opened = Open({With(Numbered(1), kPacketSize, 8 * 4096)});
  EXPECT_THAT(opened.numbers(), ElementsAre(1));
  EXPECT_FALSE(opened.files.streams[0].packets[0].cut);
}

TEST(TraceFiles, APacketThatEndsBeforeItBeginsIsDamageAndStays) {
  const Opened opened =
      Open({PacketBytes({.begin = 9, .end = 5, .number = 1})});
  EXPECT_THAT(opened.numbers(), ElementsAre(1));
  EXPECT_THAT(opened.damage(), HasSubstr("ends before it begins"));
}

TEST(TraceFiles, OtherStreamsAndMagicNumbersAreNotRead) {
  std::string other = Numbered(0);
  other[4] = 9;  // stream_id
  EXPECT_THAT(Open({other}).damage(),
              HasSubstr("the metadata has no stream 9"));
  EXPECT_THAT(Open({PacketBytes({.magic = 0x123})}).damage(),
              HasSubstr("its magic number is 123"));
}

TEST(TraceFiles, PacketsOfAnotherTraceAreNotRead) {
  const std::string metadata =
      "/* CTF 1.8 */ typealias integer { size = 8; } := u8;"
      "trace { uuid = \"00010203-0405-0607-0809-0a0b0c0d0e0f\";"
      " packet.header := struct { u8 uuid[16]; }; };"
      "stream { event.header := struct { u8 id; }; };"
      "event { id = 0; };";
  std::string uuid;
  for (int i = 0; i < 16; ++i) uuid += static_cast<char>(i);
  EXPECT_EQ(Open({uuid}, metadata).files.num_packets, 1u);
  uuid[15] = 'x';
  const Opened other = Open({uuid}, metadata);
  EXPECT_EQ(other.files.num_packets, 0u);
  EXPECT_THAT(other.damage(), HasSubstr("its uuid differs"));
}

TEST(TraceFiles, AnEmptyFileHasNoPackets) {
  const Opened opened = Open({"", Numbered(0)});
  EXPECT_EQ(opened.files.num_packets, 1u);
  EXPECT_THAT(opened.log.entries(), IsEmpty());
}

TEST(TraceFiles, WhatIsBesideTheMetadataIsRead) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "trace_files_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "index");
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  write("metadata", TestMetadata(kNoFields));
  write("ch_10", Numbered(10));
  write("ch_9", Numbered(9));
  write(".hidden", "x");
  write("ch_0.idx", "x");
  write("index/ch_0", "x");
  loaders::ImportLog log;
  const auto files = TraceFiles::Open({(folder / "metadata").string()}, log);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(log.entries(), IsEmpty());
  ASSERT_THAT(files->files, SizeIs(2));
  EXPECT_TRUE(files->files[0]->path().ends_with("ch_9"));
  EXPECT_EQ(files->traces[0]->host, "here");
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(TraceFiles::Open({(folder / "metadata").string()}, log).ok());
}

TEST(TraceFiles, TypesThatNoPlanFitsAreAnErrorWithTheFile) {
  loaders::ImportLog log;
  const auto files =
      OpenTest(TestMetadata(std::string(kNoFields) + kNoFields), {}, log);
  ASSERT_FALSE(files.ok());
  EXPECT_THAT(std::string(files.status().message()),
              HasSubstr("metadata: two events with the id 0"));
}

TEST(Trace, CyclesBecomeNanoseconds) {
  Trace trace;
  trace.types.clocks = {{.name = "k",
                         .frequency = 1000,
                         .offset_seconds = 2,
                         .offset_cycles = 500}};
  EXPECT_EQ(trace.ToNanos(0, 0), 2500000000);
  EXPECT_EQ(trace.ToNanos(0, 3), 2503000000);
  EXPECT_EQ(trace.ToNanos(-1, 7), 7) << "no clock";
}

TEST(Trace, TimesThatAreTooLargeSaturate) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Trace trace;
  trace.types.clocks = {{.name = "k", .frequency = 1, .offset_seconds = kMost},
                        {.name = "l", .offset_seconds = -kMost}};
  EXPECT_EQ(trace.ToNanos(0, ~uint64_t{0}), kMost);
  EXPECT_EQ(trace.ToNanos(1, 0), -kMost);
  EXPECT_EQ(trace.ToNanos(-1, ~uint64_t{0}), kMost);
}

}  // namespace
}  // namespace tfprof::ctf
