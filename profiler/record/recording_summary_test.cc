#include "profiler/record/recording_summary.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "record/packet.h"

namespace tfprof::recording {
namespace {

namespace fs = std::filesystem;

class TraceSummaryTest : public ::testing::Test {
 protected:
  TraceSummaryTest() : folder_(testing::TempDir() + "/trace_summary") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~TraceSummaryTest() override { fs::remove_all(folder_); }

  void Write(const std::string& name, std::string_view bytes) {
    fs::create_directories(fs::path(folder_ + "/" + name).parent_path());
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }
  struct Packet {
    uint64_t stream = 0;
    uint32_t thread = 0;
    uint64_t events = 0;
    uint64_t discarded = 0;  // so far in the stream
    uint64_t content = 100;  // bytes
    uint64_t size = 4096;    // bytes
    uint32_t magic = record::kPacketMagic;
  };
  // The bytes of a packet as far as `size` is one of a file.
  static std::string Bytes(const Packet& packet) {
    record::PacketHead head = {};
    head.magic = packet.magic;
    head.stream_instance_id = packet.stream;
    head.content_size = packet.content * 8;
    head.packet_size = packet.size * 8;
    head.events_discarded = packet.discarded;
    head.events = packet.events;
    head.vtid = packet.thread;
    std::string bytes(sizeof(head), '\0');
    memcpy(bytes.data(), &head, sizeof(head));
    bytes.resize(packet.size <= 4096
                     ? std::max<size_t>(sizeof(head), packet.size)
                     : sizeof(head));
    return bytes;
  }
  void Expect(uint64_t processes, uint64_t threads, uint64_t events,
              uint64_t discarded, uint64_t bytes) {
    const RecordingSummary summary = SummarizeTrace(folder_);
    EXPECT_EQ(summary.processes, processes);
    EXPECT_EQ(summary.threads, threads);
    EXPECT_EQ(summary.events, events);
    EXPECT_EQ(summary.discarded, discarded);
    EXPECT_EQ(summary.bytes, bytes);
  }

  const std::string folder_;
};

TEST_F(TraceSummaryTest, PacketsOfAllProcessesAreCounted) {
  Write("a/metadata", "12345");
  Write("a/stream_0", Bytes({.stream = 1, .thread = 7, .events = 3}) +
                          Bytes({.stream = 1, .thread = 8, .events = 2}));
  Write("a/tail_0", Bytes({.stream = 1, .thread = 7, .events = 1}));
  // The same thread of another process is another one.
  Write("b/metadata", "");
  Write("b/stream_0", Bytes({.stream = 1, .thread = 7, .events = 10}));
  Expect(2, 3, 16, 0, 5 + 4 * 100);
}

TEST_F(TraceSummaryTest, DroppedEventsAreThoseOfTheLastPacketOfAStream) {
  Write("a/metadata", "");
  Write("a/stream_0", Bytes({.stream = 1, .discarded = 2}) +
                          Bytes({.stream = 1, .discarded = 5}));
  Write("a/tail_0", Bytes({.stream = 1, .discarded = 4}));
  Write("a/stream_1", Bytes({.stream = 2, .discarded = 10}));
  Expect(1, 0, 0, 15, 400);
}

TEST_F(TraceSummaryTest, AThreadWithoutEventsIsNone) {
  Write("a/metadata", "");
  Write("a/stream_0", Bytes({.thread = 7, .events = 0}));
  Expect(1, 0, 0, 0, 100);
}

TEST_F(TraceSummaryTest, WhatIsNoPacketEndsAFile) {
  Write("a/metadata", "");
  Write("a/empty", "");
  Write("a/text", "these are no packets, whatever they are");
  Write("a/cut", Bytes({.events = 1}).substr(0, 40));
  Write("a/magic", Bytes({.events = 1, .magic = 7}));
  Write("a/behind", Bytes({.events = 1}) + Bytes({.events = 2, .magic = 7}) +
                        Bytes({.events = 4}));
  // Sizes that would end nowhere: none, less than a head, and all there is.
  Write("a/zero", Bytes({.events = 8, .size = 0}));
  Write("a/small",
        Bytes({.events = 8, .size = sizeof(record::PacketHead) - 1}));
  Write("a/huge", Bytes({.events = 16, .size = UINT64_MAX / 8}));
  Expect(1, 1, 17, 0, 200);
}

TEST_F(TraceSummaryTest, OtherFoldersAndFilesAreLeftOut) {
  Write("notes.txt", "x");
  Write("no_metadata/stream_0", Bytes({.events = 1}));
  Write(".hidden/metadata", "x");
  Write("a/metadata", "x");
  Write("a/.stream_0.new", Bytes({.events = 1}));
  fs::create_directories(folder_ + "/a/folder");
  Expect(1, 0, 0, 0, 1);
  EXPECT_EQ(SummarizeTrace(folder_).failed_processes, 0u);
  EXPECT_EQ(SummarizeTrace(folder_ + "/missing").processes, 0u);
}

TEST_F(TraceSummaryTest, AProcessWhoseDiskWasFull) {
  Write("a/metadata", "");
  Write("b/metadata", "x");
  Write("b/stream_0", Bytes({.events = 1}));
  Expect(1, 1, 1, 0, 101);
  EXPECT_EQ(SummarizeTrace(folder_).failed_processes, 1u);
}

}  // namespace
}  // namespace tfprof::recording
