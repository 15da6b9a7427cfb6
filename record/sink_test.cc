#include "record/sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "record/recording_testing.h"

namespace tfprof::record {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SinkTest, EachEventHasItsFields) {
  const Recording recording;
  OpBegin("net/a", "MatMul", "/device:GPU:0", 7);
  RangeBegin("range");
  CallBegin("cuda", "cuLaunchKernel", 11);
  CallEnd();
  RangeEnd();
  OpEnd();
  StepBegin(-3, "session");
  StepEnd(-3);
  AsyncBegin(5, "recv", "Recv", "");
  AsyncEnd(5);
  Call({.domain = "hip",
        .name = "hipMemcpy",
        .correlation = 12,
        .thread = 13,
        .begin = 14,
        .end = 15});
  RecvTensor({.key = "k",
              .source = "s",
              .destination = "d",
              .bytes = 1,
              .begin = 2,
              .end = 3,
              .step = 4,
              .server = true});
  WorkCounter(16, "cycles", 0.5);
  Allocate("cpu", 4096, 64);
  Release("cpu", 4096, 0);
  AllocatorState("bfc", 1, 2, 3);
  Counter("queue", "items", -2.5);
  ClockPair("gpu:0", 1, 2, 3);
  NameThread("worker");
  NameQueue("gpu:0", 9, "copies");
  Note("test", "a line");
  EXPECT_THAT(
      recording.Events(),
      ElementsAre(
          "op_begin depth=0 step=7 name=net/a type=MatMul "
          "device=/device:GPU:0",
          "range_begin depth=0 name=range",
          "call_begin depth=0 correlation=11 domain=cuda name=cuLaunchKernel",
          "call_end depth=0", "range_end depth=0", "op_end depth=0",
          "step_begin step=-3 name=session", "step_end step=-3",
          "async_begin id=5 step=-1 name=recv type=Recv device=",
          "async_end id=5",
          "call correlation=12 thread=13 begin=14 end=15 domain=hip "
          "name=hipMemcpy",
          "recv_tensor server=1 step=4 bytes=1 begin=2 end=3 key=k source=s "
          "destination=d",
          "work_counter correlation=16 value=0.5 name=cycles",
          "allocate address=4096 bytes=64 allocator=cpu",
          "release address=4096 bytes=0 allocator=cpu",
          "allocator_state bytes_in_use=1 peak_bytes=2 num_allocations=3 "
          "allocator=bfc",
          "counter value=-2.5 name=queue unit=items",
          "clock_pair host_before=1 device_time=2 host_after=3 device=gpu:0",
          "thread_name name=worker",
          "queue_name queue=9 device=gpu:0 name=copies",
          "note source=test text=a line"));
}

TEST(SinkTest, WorkOfADeviceHasAllThatIsKnown) {
  const Recording recording;
  DeviceWork({.name = "kernel",
              .device = "gpu:0",
              .operation = "ndrange",
              .kind = TFPROF_WORK_COPY,
              .clock = TFPROF_CLOCK_DEVICE,
              .queue = 1,
              .context = 2,
              .correlation = 3,
              .bytes = 4,
              .thread = 5,
              .status = -6,
              .entry = 7,
              .exit = 8,
              .queued = 9,
              .submitted = 10,
              .start = 11,
              .end = 12,
              .is_timed = false});
  EXPECT_THAT(recording.Events(),
              ElementsAre("work work=1 clock=1 profiled=0 status=-6 "
                          "launch_tid=5 correlation=3 context=2 queue=1 "
                          "bytes=4 entry=7 exit=8 queued=9 submit=10 start=11 "
                          "end=12 kind=ndrange name=kernel device=gpu:0"));
}

TEST(SinkTest, AnEndWithoutABeginIsNoEvent) {
  const Recording recording;
  OpEnd();
  RangeEnd();
  CallEnd();
  RangeBegin("a");
  OpEnd();  // an op does not end a range
  RangeEnd();
  RangeEnd();
  EXPECT_THAT(recording.Events(),
              ElementsAre("range_begin depth=0 name=a", "range_end depth=0"));
}

TEST(SinkTest, DeeperThanTheBitsOfADepthEveryBeginHasItsEnd) {
  constexpr int kDepth = 100;
  const Recording recording;
  for (int i = 0; i < kDepth; ++i) RangeBegin("r");
  for (int i = 0; i < kDepth; ++i) RangeEnd();
  const std::vector<std::string> events = recording.Events();
  ASSERT_THAT(events, SizeIs(2 * kDepth));
  EXPECT_EQ(events[kDepth - 1], "range_begin depth=99 name=r");
  EXPECT_EQ(events[kDepth], "range_end depth=99");
  EXPECT_EQ(events.back(), "range_end depth=0");
}

TEST(SinkTest, TextsAreCutAndEndAtTheirSize) {
  const Recording recording;
  RangeBegin(std::string(kMaxText - 1, 'a'));
  RangeBegin(std::string(kMaxText, 'b'));
  RangeBegin(std::string(kMaxText + 1, 'c'));
  RangeBegin(std::string_view("name and more", 4));
  RangeBegin({});
  EXPECT_THAT(
      recording.Events(),
      ElementsAre("range_begin depth=0 name=" + std::string(kMaxText - 1, 'a'),
                  "range_begin depth=1 name=" + std::string(kMaxText, 'b'),
                  "range_begin depth=2 name=" + std::string(kMaxText, 'c'),
                  "range_begin depth=3 name=name",
                  "range_begin depth=4 name="));
}

TEST(SinkTest, APauseHidesWhatBeginsInItAndNoMore) {
  const Recording recording;
  OpBegin("outer", "", "");
  Pause();
  EXPECT_FALSE(IsRecording());
  EXPECT_TRUE(IsRecorded());
  OpBegin("hidden", "", "");
  OpEnd();
  Counter("hidden", "", 1);
  OpBegin("begun in the pause", "", "");
  Resume();
  EXPECT_TRUE(IsRecording());
  OpBegin("inner", "", "");
  OpEnd();
  OpEnd();  // of the op that began in the pause
  OpEnd();
  EXPECT_THAT(recording.Events(),
              ElementsAre("op_begin depth=0 step=-1 name=outer type= device=",
                          "op_begin depth=2 step=-1 name=inner type= device=",
                          "op_end depth=2", "op_end depth=0"));
}

TEST(SinkTest, WhatIsOpenEndsDuringAPause) {
  const Recording recording;
  RangeBegin("a");
  Pause();
  RangeEnd();
  Resume();
  EXPECT_THAT(recording.Events(),
              ElementsAre("range_begin depth=0 name=a", "range_end depth=0"));
}

TEST(SinkTest, AProcessThatIsOnlyPausedLeavesNoFiles) {
  const Recording recording;
  Pause();
  RangeBegin("a");
  RangeEnd();
  StepBegin(1, "step");
  EXPECT_THAT(recording.Processes(), IsEmpty());
}

TEST(SinkTest, IdsAreUniqueAndNeverZero) {
  const Recording recording;
  const uint64_t first = NewId();
  EXPECT_NE(first, 0u);
  EXPECT_EQ(NewId(), first + 1);
}

TEST(SinkTest, ThreadsHaveStreamsThatTheNextOnesContinue) {
  const Recording recording;
  RangeBegin("main");
  uint32_t thread = 0;
  std::thread([&] {
    RangeBegin("first");
    thread = ThreadId();
  }).join();
  std::thread([] {
    RangeEnd();
    RangeBegin("second");
  }).join();
  EXPECT_NE(thread, ThreadId());
  const std::vector<ReadPacket> packets = recording.Packets();
  ASSERT_THAT(packets, SizeIs(4));
  EXPECT_THAT(packets[0].events, ElementsAre("range_begin depth=0 name=main"));
  EXPECT_EQ(packets[0].head.vtid, ThreadId());
  // The end on the second thread closes nothing on the first one.
  EXPECT_EQ(packets[1].file, "stream_1");
  EXPECT_EQ(packets[1].head.vtid, thread);
  EXPECT_THAT(packets[1].events, ElementsAre("range_begin depth=0 name=first"));
  EXPECT_EQ(packets[2].file, "stream_1");
  EXPECT_THAT(packets[2].events,
              ElementsAre("range_begin depth=0 name=second"));
  EXPECT_EQ(packets[3].file, "tail_1");
  EXPECT_THAT(packets[3].events, IsEmpty());
}

TEST(SinkTest, SettingsAreThoseOfTheEnvironment) {
  setenv("TFPROF_RECORD_TEST", "off", 1);
  EXPECT_EQ(Setting("TFPROF_RECORD_TEST"), "off");
  unsetenv("TFPROF_RECORD_TEST");
  EXPECT_EQ(Setting("TFPROF_RECORD_TEST"), "");
}

}  // namespace
}  // namespace tfprof::record
