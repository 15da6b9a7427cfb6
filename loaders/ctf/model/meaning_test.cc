// What events mean: facts, clocks, attribution.

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/ctf/ctf_testing.h"
#include "loaders/ctf/events/event_schema.h"
#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/attribution.h"
#include "loaders/ctf/model/device_clock.h"
#include "loaders/ctf/model/host_clocks.h"

namespace tfprof::ctf {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

enum Id : uint16_t {
  kOpStart,
  kOpEnd,
  kSessionStart,
  kSessionEnd,
  kEntry,
  kExit,
  kQueued,
  kBegin,
  kEnd,
  kUnknown,
};

std::string Metadata() {
  const auto event = [](std::string_view name, int id,
                        std::string_view fields) {
    std::string text = "event { name = \"";
    text += name;
    text += "\"; id = ";
    text += std::to_string(id);
    text += "; stream_id = 0; fields := struct { ";
    text += fields;
    text += " }; };\n";
    return text;
  };
  constexpr char kOp[] = "string _placement; string _name;";
  constexpr char kCount[] = "int32_t _count;";
  constexpr char kCall[] = "string _name;";
  constexpr char kKernel[] = "string _name; uint64_t _timestamp;";
  return TestMetadata(
      event("tensorflowTracer:operation_start", kOpStart, kOp) +
      event("tensorflowTracer:operation_end", kOpEnd, kOp) +
      event("tensorflowTracer:session_start", kSessionStart, kCount) +
      event("tensorflowTracer:session_end", kSessionEnd, kCount) +
      event("openclTracer:function_entry", kEntry, kCall) +
      event("openclTracer:function_exit", kExit, kCall) +
      event("openclTracer:kernel_queued", kQueued, kKernel) +
      event("openclTracer:kernel_begin", kBegin, kKernel) +
      event("openclTracer:kernel_end", kEnd, kKernel) +
      event("other:thing", kUnknown, ""));
}

// Writes the events of a stream in their order.
class Script {
 public:
  Script& Op(Id id, uint64_t time, std::string_view name, int thread = 1) {
    events_ += TestEvent(id, time, thread)
                   .PutString("/device:cpu:0")
                   .PutString(name)
                   .bytes();
    return *this;
  }
  Script& Session(Id id, uint64_t time, int32_t count) {
    events_ += TestEvent(id, time).Put(count).bytes();
    return *this;
  }
  Script& Call(uint64_t entry, uint64_t exit, int thread) {
    for (const auto& [id, time] :
         {std::pair(kEntry, entry), std::pair(kExit, exit)}) {
      events_ += TestEvent(id, time, thread)
                     .PutString("clEnqueueNDRangeKernel")
                     .bytes();
    }
    return *this;
  }
  Script& Kernel(uint64_t time, uint64_t queued, uint64_t begin, uint64_t end) {
    for (const auto& [id, stamp] :
         {std::pair(kQueued, queued), std::pair(kBegin, begin),
          std::pair(kEnd, end)}) {
      events_ += TestEvent(id, time, 9).PutString("k").Put(stamp).bytes();
    }
    return *this;
  }
  Script& Unknown(uint64_t time) {
    events_ += TestEvent(kUnknown, time).bytes();
    return *this;
  }
  TraceFacts Facts() const {
    ImportLog log;
    const auto files =
        OpenTest(Metadata(), {PacketBytes({.events = events_})}, log);
    EXPECT_TRUE(files.ok()) << files.status();
    TraceFacts facts = CollectFacts(*files, nullptr, log);
    EXPECT_THAT(log.entries(), IsEmpty());
    return facts;
  }

 private:
  std::string events_;
};

TEST(EventSchema, HasRowsForNamesAndFamilies) {
  EXPECT_EQ(FindEventRow("tensorflowTracer:operation_start")->role,
            EventRole::kOpBegin);
  EXPECT_EQ(FindEventRow("grpcTracer:anything")->role, EventRole::kKnown);
  EXPECT_EQ(FindEventRow("other:thing"), nullptr);
}

TEST(TraceFacts, AnEndClosesTheTopmostOpOfItsName) {
  const TraceFacts facts = Script()
                               .Op(kOpStart, 10, "outer")
                               .Op(kOpStart, 20, "lost")
                               .Op(kOpStart, 30, "inner")
                               .Op(kOpEnd, 40, "inner")
                               .Op(kOpEnd, 50, "outer")
                               .Op(kOpEnd, 60, "never")
                               .Facts();
  ASSERT_THAT(facts.ops, SizeIs(2));
  EXPECT_EQ(facts.names.Get(facts.ops[0].name), "inner");
  EXPECT_EQ(facts.ops[1].end - facts.ops[1].begin, 40);
  EXPECT_THAT(facts.unfinished_ops,
              UnorderedElementsAre(Pair(facts.names.Find("lost"), 1u)));
  EXPECT_THAT(facts.op_ends_without_start,
              UnorderedElementsAre(Pair(facts.names.Find("never"), 1u)));
}

TEST(TraceFacts, OpsOfThreadsDoNotMeet) {
  const TraceFacts facts = Script()
                               .Op(kOpStart, 10, "a", 1)
                               .Op(kOpStart, 20, "a", 2)
                               .Op(kOpEnd, 30, "a", 1)
                               .Op(kOpEnd, 50, "a", 2)
                               .Facts();
  ASSERT_THAT(facts.ops, SizeIs(2));
  EXPECT_EQ(facts.ops[0].end - facts.ops[0].begin, 20);
  EXPECT_EQ(facts.ops[1].end - facts.ops[1].begin, 30);
}

TEST(TraceFacts, SessionsArePairedByTheirNumber) {
  const TraceFacts facts = Script()
                               .Session(kSessionStart, 1, 7)
                               .Session(kSessionStart, 2, 8)
                               .Session(kSessionEnd, 5, 7)
                               .Session(kSessionEnd, 6, 9)
                               .Facts();
  ASSERT_THAT(facts.sessions, SizeIs(1));
  EXPECT_EQ(facts.sessions[0].count, 7);
  EXPECT_THAT(facts.open_sessions, SizeIs(1));
  EXPECT_EQ(facts.session_ends_without_start, 1u);
}

TEST(TraceFacts, UnknownEventsAreCounted) {
  const TraceFacts facts = Script().Unknown(1).Unknown(2).Facts();
  EXPECT_THAT(facts.unknown, UnorderedElementsAre(Pair("other:thing", 2u)));
  EXPECT_EQ(facts.num_events, 2u);
}

TEST(DeviceClock, OrderBoundsTheShiftWithoutPairs) {
  // The device is 1000 behind, and commands come in another order than calls.
  const ClockBounds bounds = BoundDeviceClock(
      {905, 105, 505}, {}, {{1100, 1110}, {1500, 1507}, {1904, 1920}}, {});
  EXPECT_EQ(bounds.rule, ClockBounds::kOrder);
  EXPECT_EQ(bounds.low, 999);
  EXPECT_EQ(bounds.high, 1002);
}

TEST(DeviceClock, WithMissingCommandsPairsVote) {
  const ClockBounds bounds = BoundDeviceClock(
      {105, 905}, {}, {{1100, 1110}, {1500, 1507}, {1904, 1920}}, {});
  EXPECT_EQ(bounds.rule, ClockBounds::kVoting);
  EXPECT_EQ(bounds.low, 999);
  EXPECT_EQ(bounds.high, 1005);
  EXPECT_EQ(bounds.votes, 2);
}

TEST(DeviceClock, NothingIsKnownOfNothing) {
  EXPECT_FALSE(BoundDeviceClock({}, {}, {}, {}).known());
  EXPECT_FALSE(BoundDeviceClock({1}, {}, {}, {}).known());
  EXPECT_FALSE(BoundHosts({}, {}).known());
}

TEST(HostClocks, RequestsInBothDirectionsBoundTheLead) {
  // B is 500 ahead; each way takes 10.
  const RoundTrip forth = {100, 610, 620, 130};
  const RoundTrip back = {900, 410, 420, 930};
  const ClockBounds bounds = BoundHosts({&forth, 1}, {&back, 1});
  ASSERT_TRUE(bounds.known());
  EXPECT_EQ(bounds.low, 490);
  EXPECT_EQ(bounds.high, 510);
}

TEST(Attribution, QueuedTimeFindsTheThreadThatLaunched) {
  // Device times are 10000 less than host times, which are 1000 more than
  // those of the trace.
  TraceFacts facts = Script()
                         .Op(kOpStart, 20000, "first", 1)
                         .Op(kOpStart, 20001, "second", 2)
                         .Call(20100, 20110, 2)
                         .Call(20200, 20210, 1)
                         .Kernel(30000, 11103, 15000, 16000)
                         .Kernel(30001, 11205, 12000, 13000)
                         .Op(kOpEnd, 40000, "first", 1)
                         .Op(kOpEnd, 40001, "second", 2)
                         .Facts();
  const Attribution result = Attribute(facts);
  ASSERT_THAT(result.links, SizeIs(2));
  EXPECT_EQ(facts.names.Get(result.links[0].name), "second");
  EXPECT_EQ(facts.names.Get(result.links[1].name), "first");
  EXPECT_EQ(result.links[0].rule, LinkRule::kQueuedTime);
  EXPECT_EQ(result.kernels_before_launch, 0u);
  ASSERT_THAT(result.clocks, SizeIs(1));
  EXPECT_LE(result.clocks[0].bounds.low, 10000);
  EXPECT_GE(result.clocks[0].bounds.high, 10000);
}

TEST(Attribution, WithoutCallsAKernelIsAmbiguous) {
  TraceFacts facts = Script().Kernel(30000, 11103, 15000, 16000).Facts();
  const Attribution result = Attribute(facts);
  ASSERT_THAT(result.links, SizeIs(1));
  EXPECT_EQ(result.links[0].rule, LinkRule::kAmbiguous);
  EXPECT_EQ(facts.activities[0].clock, DeviceClock::kUnknown);
}

TEST(OpenOps, GivesTheInnermostOp) {
  const TraceFacts facts = Script()
                               .Op(kOpStart, 10, "outer")
                               .Op(kOpStart, 20, "inner")
                               .Op(kOpEnd, 30, "inner")
                               .Op(kOpEnd, 50, "outer")
                               .Facts();
  const OpenOps open(facts);
  const auto name = [&](int64_t time) {
    const uint32_t op = open.At(0, 1000 + time);
    return op == kNone ? std::string()
                       : std::string(facts.names.Get(facts.ops[op].name));
  };
  EXPECT_EQ(name(5), "");
  EXPECT_EQ(name(25), "inner");
  EXPECT_EQ(name(40), "outer");
  EXPECT_EQ(name(60), "");
}

// Events that the recorder dropped are in between.
TEST(OwnEventsTest, AnEndClosesTheBeginOfItsDepth) {
  constexpr uint16_t kOwnBegin = 0, kOwnEnd = 1;
  const std::string metadata = TestMetadata(
      "event { name = \"tfprof:op_begin\"; id = 0; stream_id = 0; fields := "
      "struct { uint16_t _depth; string _name; string _type; string _device; "
      "}; };\n"
      "event { name = \"tfprof:op_end\"; id = 1; stream_id = 0; fields := "
      "struct { uint16_t _depth; }; };\n");
  std::string events;
  const auto begin = [&](uint64_t time, uint16_t depth, std::string_view name) {
    events += TestEvent(kOwnBegin, time)
                  .Put(depth)
                  .PutString(name)
                  .PutString("Type")
                  .PutString("/device:cpu:0")
                  .bytes();
  };
  const auto end = [&](uint64_t time, uint16_t depth) {
    events += TestEvent(kOwnEnd, time).Put(depth).bytes();
  };
  begin(10, 0, "outer");
  begin(11, 1, "lost its end");
  begin(12, 1, "inner");
  end(13, 1);
  end(14, 0);
  end(15, 3);  // lost its begin
  begin(16, 0, "never ends");
  ImportLog log;
  const auto files = OpenTest(metadata, {PacketBytes({.events = events})}, log);
  ASSERT_TRUE(files.ok()) << files.status();
  const TraceFacts facts = CollectFacts(*files, nullptr, log);
  std::vector<std::pair<std::string, int64_t>> ops;
  for (const Interval& op : facts.ops) {
    ops.emplace_back(facts.names.Get(op.name), op.end - op.begin);
    EXPECT_EQ(facts.names.Get(op.type), "Type");
  }
  EXPECT_THAT(ops, testing::ElementsAre(Pair("inner", 1), Pair("outer", 4)));
  EXPECT_THAT(facts.unfinished_ops, SizeIs(2));
  EXPECT_THAT(facts.op_ends_without_start, SizeIs(1));
}

}  // namespace
}  // namespace tfprof::ctf
