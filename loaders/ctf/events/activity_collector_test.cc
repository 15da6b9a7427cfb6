#include "loaders/ctf/events/activity_collector.h"

#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/ctf/events/events_testing.h"

namespace tfprof::ctf {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kKernelFields[] = "string _name; uint64_t _timestamp;";

std::string NameAndTime(const char* name, uint64_t stamp) {
  return ByteWriter().PutString(name).Put(stamp).bytes();
}

TEST(ActivityCollector, TimesOfAKernelComeInAnyOrderBeforeItsEnd) {
  AnyEvents events;
  events.Add("openclTracer:kernel_begin", kKernelFields, 1,
             NameAndTime("k", 30));
  events.Add("openclTracer:kernel_queued", kKernelFields, 2,
             NameAndTime("k", 10));
  events.Add("openclTracer:kernel_submitted", kKernelFields, 3,
             NameAndTime("k", 20));
  events.Add("openclTracer:kernel_end", kKernelFields, 4, NameAndTime("k", 40));
  const TraceFacts facts = events.Facts();
  ASSERT_THAT(facts.activities, SizeIs(1));
  const Activity& kernel = facts.activities[0];
  EXPECT_EQ(kernel.queued, 10);
  EXPECT_EQ(kernel.submitted, 20);
  EXPECT_EQ(kernel.begin, 30);
  EXPECT_EQ(kernel.end, 40);
  EXPECT_EQ(kernel.clock, DeviceClock::kUnknown);
  EXPECT_EQ(facts.unpaired_activity_events, 0u);
}

TEST(ActivityCollector, WhatHasNoPartnerIsCounted) {
  AnyEvents events;
  events.Add("openclTracer:kernel_end", kKernelFields, 1, NameAndTime("k", 5));
  events.Add("openclTracer:kernel_queued", kKernelFields, 2,
             NameAndTime("a", 6));
  events.Add("openclTracer:kernel_begin", kKernelFields, 3,
             NameAndTime("a", 7));
  events.Add("openclTracer:kernel_begin", kKernelFields, 4,
             NameAndTime("b", 8));  // "a" has no end
  const TraceFacts facts = events.Facts();
  EXPECT_THAT(facts.activities, IsEmpty());
  EXPECT_EQ(facts.unpaired_activity_events, 1u + 2u + 1u);
}

TEST(ActivityCollector, ThreadsTellOfTheirOwnKernels) {
  AnyEvents events;
  for (const int thread : {1, 2}) {
    events.Add("openclTracer:kernel_begin", kKernelFields, thread,
               NameAndTime("k", 10 * thread), thread);
  }
  for (const int thread : {1, 2}) {
    events.Add("openclTracer:kernel_end", kKernelFields, 5 + thread,
               NameAndTime("k", 100 * thread), thread);
  }
  const TraceFacts facts = events.Facts();
  ASSERT_THAT(facts.activities, SizeIs(2));
  EXPECT_EQ(facts.activities[0].begin, 10);
  EXPECT_EQ(facts.activities[1].begin, 20);
}

TEST(ActivityCollector, AnEndBeforeTheBeginIsTheBegin) {
  AnyEvents events;
  events.Add("openclTracer:kernel_begin", kKernelFields, 1,
             NameAndTime("k", 30));
  events.Add("openclTracer:kernel_end", kKernelFields, 2, NameAndTime("k", 20));
  EXPECT_EQ(events.Facts().activities.at(0).end, 30);
}

TEST(ActivityCollector, TimesOfCudaAreMicrosecondsAndNamesAreOps) {
  AnyEvents events;
  events.Add("cudaTracer:kernel_begin", kKernelFields, 1,
             NameAndTime("dense/MatMul", 7));
  events.Add("cudaTracer:kernel_end", kKernelFields, 2,
             NameAndTime("dense/MatMul", std::numeric_limits<int64_t>::max()));
  const TraceFacts facts = events.Facts();
  const Activity& kernel = facts.activities.at(0);
  EXPECT_EQ(kernel.begin, 7000);
  EXPECT_EQ(kernel.end, 7000) << "too large: the time of the event, 1002";
  EXPECT_EQ(facts.names.Get(kernel.annotation), "dense/MatMul");
}

TEST(ActivityCollector, TicksOfInterceptedKernelsBeginAtTheFirstInit) {
  AnyEvents events;
  const std::string init = ByteWriter().PutString("hsa_init").bytes();
  events.Add("hsaTracer:function_entry", "string _name;", 50, init);
  events.Add("hsaTracer:function_entry", "string _name;", 90, init);
  const char fields[] = "string _name; string _tf_name; uint64_t _timestamp;";
  const auto payload = [](uint64_t stamp) {
    return ByteWriter().PutString("k").PutString("op").Put(stamp).bytes();
  };
  events.Add("interceptionTracer:kernel_begin", fields, 100, payload(5));
  events.Add("interceptionTracer:kernel_end", fields, 101, payload(9));
  const TraceFacts facts = events.Facts();
  const Activity& kernel = facts.activities.at(0);
  EXPECT_EQ(kernel.begin, 1050 + 5);
  EXPECT_EQ(kernel.end, 1050 + 9);
  EXPECT_EQ(facts.names.Get(kernel.annotation), "op");
}

constexpr char kWorkFields[] =
    "string _name; string _kind; uint64_t _bytes; int32_t _work;"
    " int32_t _clock; int32_t _profiled; string _device; string _queue;"
    " uint64_t _queued; uint64_t _submit; uint64_t _start; uint64_t _end;"
    " uint64_t _entry; uint64_t _exit; int32_t _launch_tid;"
    " uint64_t _correlation;";

struct WorkEvent {
  int32_t work = 0, clock = 0, profiled = 1;
  uint64_t queued = 0, start = 20, end = 30, entry = 0, exit = 0;
  uint64_t correlation = 0;
};

std::string WorkPayload(const WorkEvent& w) {
  return ByteWriter()
      .PutString("k")
      .PutString("ndrange")
      .Put(uint64_t{64})
      .Put(w.work)
      .Put(w.clock)
      .Put(w.profiled)
      .PutString("gpu:1")
      .PutString("q")
      .Put(w.queued)
      .Put(uint64_t{0})
      .Put(w.start)
      .Put(w.end)
      .Put(w.entry)
      .Put(w.exit)
      .Put(int32_t{1})
      .Put(w.correlation)
      .bytes();
}

TEST(ActivityCollector, ACommandTellsAllOfItsTimes) {
  AnyEvents events;
  events.Add("tfprof:work", kWorkFields, 1,
             WorkPayload({.work = 2, .queued = 10, .entry = 5, .exit = 8}));
  events.Add("tfprof:work", kWorkFields, 2, WorkPayload({.work = 99}));
  events.Add("tfprof:work", kWorkFields, 3, WorkPayload({.clock = 1}));
  events.Add("tfprof:work", kWorkFields, 4, WorkPayload({.profiled = 0}));
  const TraceFacts facts = events.Facts();
  ASSERT_THAT(facts.commands, SizeIs(4));
  const Activity& fill = facts.commands[0];
  EXPECT_EQ(fill.work, DeviceWork::kCopy);
  EXPECT_EQ(fill.clock, DeviceClock::kNanos);
  EXPECT_EQ(fill.queued, 1010);
  EXPECT_EQ(fill.submitted, Activity::kNoTime) << "0 is not known";
  EXPECT_EQ(fill.begin, 1020);
  EXPECT_EQ(fill.entry, 1005);
  EXPECT_EQ(fill.bytes, 64);
  EXPECT_EQ(facts.names.Get(fill.device), "gpu:1");
  EXPECT_EQ(facts.commands[1].work, DeviceWork::kOther)
      << "of a later recorder";
  EXPECT_EQ(facts.commands[2].clock, DeviceClock::kUnknown);
  EXPECT_EQ(facts.commands[2].begin, 20) << "on the clock of the device";
  EXPECT_EQ(facts.commands[3].begin, Activity::kNoTime);
  EXPECT_EQ(facts.untimed_commands, 1u);
}

TEST(ActivityCollector, ACommandGetsTheCallOfItsCorrelation) {
  AnyEvents events;
  events.Add("tfprof:work", kWorkFields, 1, WorkPayload({.correlation = 7}));
  events.Add("tfprof:work", kWorkFields, 2, WorkPayload({.correlation = 8}));
  events.Add("tfprof:call",
             "string _name; string _domain; int32_t _thread; uint64_t _begin;"
             " uint64_t _end; uint64_t _correlation;",
             3,
             ByteWriter()
                 .PutString("cuLaunchKernel")
                 .PutString("driver")
                 .Put(int32_t{5})
                 .Put(uint64_t{11})
                 .Put(uint64_t{14})
                 .Put(uint64_t{7})
                 .bytes());
  const TraceFacts facts = events.Facts();
  ASSERT_THAT(facts.commands, SizeIs(2));
  EXPECT_EQ(facts.commands[0].launch_thread, 5);
  EXPECT_EQ(facts.commands[0].entry, 1011);
  EXPECT_EQ(facts.commands[0].exit, 1014);
  EXPECT_EQ(facts.commands[1].entry, Activity::kNoTime);
}

TEST(ActivityCollector, ClocksOfDevicesAreReadBetweenTimesOfTheHost) {
  AnyEvents events;
  events.Add("tfprof:clock_pair",
             "string _device; uint64_t _host_before; uint64_t _device_time;"
             " uint64_t _host_after;",
             1,
             ByteWriter()
                 .PutString("gpu:0")
                 .Put(uint64_t{10})
                 .Put(uint64_t{99})
                 .Put(uint64_t{12})
                 .bytes());
  const TraceFacts facts = events.Facts();
  ASSERT_THAT(facts.clock_pairs, SizeIs(1));
  EXPECT_EQ(facts.clock_pairs[0].host_before, 1010);
  EXPECT_EQ(facts.clock_pairs[0].device_time, 99);
  EXPECT_EQ(facts.clock_pairs[0].host_after, 1012);
}

}  // namespace
}  // namespace tfprof::ctf
