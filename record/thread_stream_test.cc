#include "record/thread_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "record/recording_testing.h"
#include "record/sink.h"

namespace tfprof::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kPacketBytes = 4096;

// Events of 1 KiB; three of them fit into a packet.
std::string Large(char c) { return std::string(kMaxText, c); }

TEST(ThreadTraceTest, APacketIsWholeAfterEachEvent) {
  const Recording recording;
  for (uint64_t i = 1; i <= 3; ++i) {
    RangeBegin("a");
    const std::vector<ReadPacket> packets = recording.Packets();
    ASSERT_THAT(packets, SizeIs(1));
    EXPECT_EQ(packets[0].file, "tail_0");
    EXPECT_THAT(packets[0].events, SizeIs(i));
    EXPECT_EQ(packets[0].head.vpid, static_cast<uint32_t>(getpid()));
    EXPECT_EQ(packets[0].head.packet_seq_num, 0u);
  }
}

TEST(ThreadTraceTest, FullPacketsGoIntoTheStream) {
  const Recording recording(kPacketBytes);
  for (int i = 0; i < 10; ++i) RangeBegin(Large(static_cast<char>('0' + i)));
  const std::vector<ReadPacket> packets = recording.Packets();
  ASSERT_GE(packets.size(), 3u);
  size_t events = 0;
  for (size_t i = 0; i < packets.size(); ++i) {
    const PacketHead& head = packets[i].head;
    const bool is_tail = i + 1 == packets.size();
    EXPECT_EQ(packets[i].file, is_tail ? "tail_0" : "stream_0");
    EXPECT_EQ(head.packet_seq_num, i);
    EXPECT_EQ(head.events_discarded, 0u);
    // Packets in a stream have no unused rest.
    EXPECT_EQ(head.packet_size, is_tail ? kPacketBytes * 8 : head.content_size);
    for (const std::string& event : packets[i].events) {
      EXPECT_EQ(event, "range_begin depth=" + std::to_string(events) +
                           " name=" + Large(static_cast<char>('0' + events)));
      ++events;
    }
  }
  EXPECT_EQ(events, 10u);
}

TEST(ThreadTraceTest, AnEventThatNoPacketHoldsIsCounted) {
  const Recording recording(/*packet_bytes=*/512);
  RangeBegin("small");
  RangeBegin(Large('x'));
  RangeEnd();  // of the dropped range
  RangeEnd();
  const std::vector<ReadPacket> packets = recording.Packets();
  EXPECT_THAT(recording.Events(), ElementsAre("range_begin depth=0 name=small",
                                              "range_end depth=0"));
  EXPECT_EQ(packets.back().head.events_discarded, 1u);
}

// The limit allows the tail and one packet of the stream.
TEST(ThreadTraceTest, WhatIsOverTheLimitIsDroppedAndCounted) {
  const Recording recording(kPacketBytes, /*max_bytes=*/2 * kPacketBytes);
  for (int i = 0; i < 20; ++i) Counter(Large('x'), "", 1);
  uint64_t bytes = 0;
  for (const std::string& process : recording.Processes()) {
    for (const auto& entry : std::filesystem::directory_iterator(process)) {
      if (entry.path().filename() != "metadata") bytes += entry.file_size();
    }
  }
  EXPECT_LE(bytes, 2 * kPacketBytes);
  const size_t kept = recording.Events().size();
  EXPECT_GT(kept, 3u);
  EXPECT_EQ(recording.Packets().back().head.events_discarded, 20 - kept);
}

TEST(ThreadTraceTest, AFolderThatCannotBeMadeRecordsNothing) {
  const Recording recording;
  const std::string file = recording.folder() + "/file";
  std::ofstream(file) << "no folder";
  StartRecording(file.c_str(), 0, 0);
  EXPECT_TRUE(IsOn());  // it has not been tried yet
  RangeBegin("a");
  EXPECT_FALSE(IsOn());
  RangeEnd();
  EXPECT_THAT(recording.Processes(), ElementsAre(file));
}

TEST(ThreadTraceTest, AFolderWithoutARootIsNoRecording) {
  const Recording recording;
  StartRecording("relative/folder", 0, 0);
  EXPECT_FALSE(IsRecordedProcess());
  RangeBegin("a");
  EXPECT_FALSE(std::filesystem::exists("relative"));
  // This path is longer than the system allows.
  StartRecording(("/" + std::string(5000, 'x')).c_str(), 0, 0);
  EXPECT_FALSE(IsRecordedProcess());
}

// A child's events do not go into its parent's files.
TEST(ThreadTraceTest, AChildHasAFolderOfItsOwn) {
  const Recording recording;
  RangeBegin("parent");
  const pid_t child = fork();
  if (child == 0) {
    RangeEnd();  // the open range is the parent's
    RangeBegin("child");
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  RangeEnd();
  ASSERT_THAT(recording.Processes(), SizeIs(2));
  std::vector<std::vector<std::string>> events;
  for (const ReadPacket& packet : recording.Packets()) {
    const bool is_child = packet.head.vpid == static_cast<uint32_t>(child);
    EXPECT_EQ(packet.events,
              is_child
                  ? std::vector<std::string>{"range_begin depth=0 name=child"}
                  : (std::vector<std::string>{"range_begin depth=0 name=parent",
                                              "range_end depth=0"}));
    events.push_back(packet.events);
  }
  EXPECT_THAT(events, SizeIs(2));
}

// A folder with the name of the stream makes all appends fail; the tail stays.
TEST(ThreadTraceTest, AStreamThatCannotBeWrittenCountsAndGoesOn) {
  const Recording recording(kPacketBytes);
  Counter("first", "", 1);
  const std::string stream = recording.Processes().at(0) + "/stream_0";
  ASSERT_EQ(mkdir(stream.c_str(), 0700), 0);
  for (int i = 0; i < 10; ++i) Counter(Large('x'), "", 1);
  ASSERT_EQ(rmdir(stream.c_str()), 0);
  const size_t kept = recording.Events().size();
  const std::vector<ReadPacket> packets = recording.Packets();
  ASSERT_THAT(packets, SizeIs(1));
  EXPECT_EQ(packets[0].events[0], "counter value=1 name=first unit=");
  EXPECT_EQ(packets[0].head.events_discarded, 11 - kept);
  // The write is tried again after a while.
  usleep(20'000);
  Counter(Large('y'), "", 1);
  const std::vector<std::string> events = recording.Events();
  EXPECT_EQ(events.size(), kept + 1);
  EXPECT_EQ(events.back(), "counter value=1 name=" + Large('y') + " unit=");
}

}  // namespace
}  // namespace tfprof::record
