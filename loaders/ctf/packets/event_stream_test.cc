#include "loaders/ctf/packets/event_stream.h"

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

constexpr char kOneEvent[] =
    "event { name = \"p:tick\"; id = 0; stream_id = 0;"
    " fields := struct { int32_t _n; string _text; }; };";

std::string Tick(uint64_t time, int32_t n) {
  return TestEvent(0, time).Put(n).PutString("x").bytes();
}

struct Read {
  std::vector<int64_t> times;
  std::vector<int64_t> numbers;
  loaders::ImportLog log;
  TraceFiles files;
};

Read ReadAll(const std::string& metadata,
             const std::vector<std::string>& streams) {
  Read read;
  auto files = OpenTest(metadata, streams, read.log);
  EXPECT_TRUE(files.ok()) << files.status();
  if (!files.ok()) return read;
  read.files = *std::move(files);
  EventStream events(read.files, read.log);
  while (events.Next()) {
    const Event& event = events.event();
    read.times.push_back(event.time);
    const SlotId n = FindSlot(*event.stream, *event.plan, Scope::kPayload, "n");
    if (n != kNoSlot) read.numbers.push_back(event.values[n].i);
  }
  return read;
}

TEST(CtfEvents, HaveTimesSince1970) {
  const Read read =
      ReadAll(TestMetadata(kOneEvent),
              {PacketBytes(
                  {.begin = 5, .end = 9, .events = Tick(7, -3) + Tick(9, 4)})});
  EXPECT_THAT(read.times, ElementsAre(1007, 1009));
  EXPECT_THAT(read.numbers, ElementsAre(-3, 4));
  EXPECT_THAT(read.log.entries(), IsEmpty());
}

TEST(CtfEvents, StreamsAreMergedByTime) {
  std::string other = PacketBytes({.events = Tick(2, 2) + Tick(8, 8)});
  other[4] = 1;  // stream_id
  const std::string metadata =
      TestMetadata(kOneEvent) +
      "stream { id = 1; event.header := struct { uint16_t id; stamp "
      "timestamp; };"
      " packet.context := struct { stamp timestamp_begin; stamp timestamp_end;"
      " uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;"
      " uint64_t events_discarded; };"
      " event.context := struct { int32_t _vtid; }; };"
      "event { name = \"p:tick\"; id = 0; stream_id = 1;"
      " fields := struct { int32_t _n; string _text; }; };";
  const Read read = ReadAll(
      metadata, {PacketBytes({.events = Tick(1, 1) + Tick(5, 5)}), other});
  EXPECT_THAT(read.numbers, ElementsAre(1, 2, 5, 8));
}

TEST(CtfEvents, APacketThatComesTwiceIsReadOnce) {
  const std::string packet = PacketBytes({.number = 3, .events = Tick(1, 1)});
  const Read read = ReadAll(TestMetadata(kOneEvent), {packet + packet});
  EXPECT_THAT(read.numbers, ElementsAre(1));
  EXPECT_EQ(read.files.duplicate_packets, 1u);
  EXPECT_FALSE(read.log.damaged());
}

TEST(CtfEvents, DroppedEventsAndPacketsAreCounted) {
  const Read read = ReadAll(
      TestMetadata(kOneEvent),
      {PacketBytes({.number = 0, .discarded = 2, .events = Tick(1, 1)}) +
       PacketBytes({.number = 3, .discarded = 7, .events = Tick(2, 2)})});
  EXPECT_EQ(read.files.discarded_events, 7u);
  EXPECT_EQ(read.files.discarded_packets, 2u);
}

TEST(CtfEvents, OfACutPacketTheWholeEventsStay) {
  const std::string events = Tick(1, 1) + Tick(2, 2);
  const Read read =
      ReadAll(TestMetadata(kOneEvent),
              {PacketBytes({.events = events + "ab", .missing = 100})});
  EXPECT_THAT(read.numbers, ElementsAre(1, 2));
  ASSERT_TRUE(read.log.damaged());
  EXPECT_THAT(read.log.Lines()[0], HasSubstr("ch_0: byte 0: a packet of"));
}

TEST(CtfEvents, DamageInAPacketLeavesTheNextOne) {
  const std::string wrong = TestEvent(77, 1).bytes();
  const Read read = ReadAll(TestMetadata(kOneEvent),
                            {PacketBytes({.number = 0, .events = wrong}) +
                             PacketBytes({.number = 1, .events = Tick(2, 2)})});
  EXPECT_THAT(read.numbers, ElementsAre(2));
  EXPECT_TRUE(read.log.damaged());
}

TEST(CtfEvents, WhatIsNoPacketIsLeftOut) {
  const Read read =
      ReadAll(TestMetadata(kOneEvent),
              {PacketBytes({.events = Tick(1, 1), .magic = 5}), "abc", ""});
  EXPECT_THAT(read.numbers, IsEmpty());
  EXPECT_TRUE(read.log.damaged());
}

TEST(CtfEvents, AStringWithoutAnEndIsDamage) {
  const std::string event = TestEvent(0, 1).Put(int32_t{4}).bytes() + "abc";
  const Read read =
      ReadAll(TestMetadata(kOneEvent), {PacketBytes({.events = event})});
  EXPECT_THAT(read.numbers, IsEmpty());
  EXPECT_TRUE(read.log.damaged());
}

TEST(CtfEvents, AnArrayOfNothingEndsAtOnce) {
  const std::string metadata = TestMetadata(
      "event { name = \"p:none\"; id = 0; stream_id = 0; fields := struct {"
      " struct { struct {} _inner[1000000000000]; } _outer[1000000000000];"
      " int32_t _n; }; };");
  const Read read = ReadAll(
      metadata,
      {PacketBytes({.events = TestEvent(0, 1).Put(int32_t{9}).bytes()})});
  EXPECT_THAT(read.numbers, ElementsAre(9));
}

TEST(CtfEvents, AnArrayThatPromisesMoreThanThePacketIsDamage) {
  const std::string metadata = TestMetadata(
      "event { name = \"p:much\"; id = 0; stream_id = 0; fields := struct {"
      " uint64_t _length; uint64_t _all[_length]; int32_t _n; }; };");
  const Read read = ReadAll(
      metadata,
      {PacketBytes({.events = TestEvent(0, 1).Put(~uint64_t{0} / 4).bytes()})});
  EXPECT_THAT(read.times, IsEmpty());
  EXPECT_TRUE(read.log.damaged());
}

TEST(CtfEvents, BitFieldsEnumsAndVariants) {
  const std::string metadata = TestMetadata(
      "event { name = \"p:bits\"; id = 0; stream_id = 0; fields := struct {"
      " enum : integer { size = 5; align = 1; signed = 0; }"
      " { small = 0 ... 30, large = 31 } _tag;"
      " integer { size = 11; align = 1; signed = 1; } _bits;"
      " variant <_tag> { int32_t small; string large; } _v;"
      " int32_t _n; }; };");
  // 11 bits of -2 above the tag.
  const uint16_t small = static_cast<uint16_t>(3 | ((0x7fe & 0x7ff) << 5));
  const uint16_t large = static_cast<uint16_t>(31 | (1 << 5));
  const Read read =
      ReadAll(metadata, {PacketBytes({.events = TestEvent(0, 1)
                                                    .Put(small)
                                                    .Put(int32_t{40})
                                                    .Put(int32_t{41})
                                                    .bytes() +
                                                TestEvent(0, 2)
                                                    .Put(large)
                                                    .PutString("text")
                                                    .Put(int32_t{42})
                                                    .bytes()})});
  EXPECT_THAT(read.numbers, ElementsAre(41, 42));
}

TEST(CtfEvents, MetadataInJsonDescribesThemToo) {
  const std::string integer =
      "\"field-class\": {\"type\": \"fixed-length-unsigned-integer\", "
      "\"length\": 64, \"alignment\": 8, \"byte-order\": \"little-endian\"";
  const std::string text =
      "\x1e{\"type\": \"preamble\", \"version\": 2}"
      "\x1e{\"type\": \"trace-class\"}"
      "\x1e{\"type\": \"clock-class\", \"id\": \"c\", \"frequency\": "
      "1000000000, \"offset-from-origin\": {\"seconds\": 2, \"cycles\": 5}}"
      "\x1e{\"type\": \"data-stream-class\", \"id\": 0, "
      "\"default-clock-class-id\": \"c\", "
      "\"event-record-header-field-class\": {\"type\": \"structure\", "
      "\"member-classes\": [{\"name\": \"t\", " +
      integer +
      ", \"roles\": [\"default-clock-timestamp\"]}}]}}"
      "\x1e{\"type\": \"event-record-class\", \"name\": \"e\", "
      "\"payload-field-class\": {\"type\": \"structure\", "
      "\"member-classes\": [{\"name\": \"n\", " +
      integer + "}}]}}";
  const Read read =
      ReadAll(text, {ByteWriter().Put(uint64_t{7}).Put(uint64_t{8}).bytes()});
  EXPECT_THAT(read.times, ElementsAre(2000000012));
  EXPECT_THAT(read.numbers, ElementsAre(8));
}

TEST(StreamReader, NotesDamagedEventsAndPadding) {
  const std::string good = TestEvent(0, 10).bytes();
  std::string packet =
      PacketBytes({.begin = 5,
                   .end = 50,
                   .events = good + TestEvent(9, 20).bytes() + good});
  packet.replace(32, 8,
                 ByteWriter().Put(uint64_t{8 * (packet.size() + 3)}).bytes());
  const std::string bytes = packet + "abc";
  StreamNotes notes;
  loaders::ImportLog log;
  const auto files = TraceFiles::FromBytes(
      loaders::InputFile::FromBytes(
          "metadata", TestMetadata("event { id = 0; stream_id = 0; };")),
      {loaders::InputFile::FromBytes("ch_0", bytes)}, log, &notes);
  ASSERT_TRUE(files.ok()) << files.status();
  StreamReader reader(files->streams[0], log, &notes);
  ASSERT_TRUE(reader.Next());
  reader.NoteEvent(loaders::ByteNotes::kUnused);
  EXPECT_FALSE(reader.Next());
  const auto size = static_cast<int64_t>(good.size());
  EXPECT_EQ(notes[files->files[0].get()].Account(bytes),
            (loaders::ByteAccount{
                .read = 56, .unused = size, .free = 3, .damaged = 2 * size}));
}

TEST(StreamReader, SaysThatTimesGoBack) {
  loaders::ImportLog log;
  const auto files =
      OpenTest(TestMetadata("event { id = 0; stream_id = 0; };"),
               {PacketBytes({.events = TestEvent(0, 20).bytes() +
                                       TestEvent(0, 10).bytes()})},
               log);
  ASSERT_TRUE(files.ok()) << files.status();
  StreamReader reader(files->streams[0], log);
  ASSERT_TRUE(reader.Next());
  EXPECT_FALSE(reader.goes_back());
  ASSERT_TRUE(reader.Next());
  EXPECT_TRUE(reader.goes_back());
  EXPECT_FALSE(reader.Next());
  ASSERT_EQ(log.entries().size(), 1u);
  EXPECT_EQ(log.entries()[0].severity, loaders::ImportLog::kNotice);
  EXPECT_EQ(log.entries()[0].texts[0],
            "ch_0: byte 70: an event is 10 ns earlier than the one before it "
            "in its stream; both are kept");
}

}  // namespace
}  // namespace tfprof::ctf
