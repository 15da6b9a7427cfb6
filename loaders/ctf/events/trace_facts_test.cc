#include "loaders/ctf/events/trace_facts.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/ctf/events/events_testing.h"

namespace tfprof::ctf {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST(TraceFacts, AnEndClosesTheTopmostOpOfItsName) {
  const TraceFacts facts = EventScript()
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
  const TraceFacts facts = EventScript()
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
  const TraceFacts facts = EventScript()
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
  const TraceFacts facts = EventScript().Unknown(1).Unknown(2).Facts();
  EXPECT_THAT(facts.unknown, UnorderedElementsAre(Pair("other:thing", 2u)));
  EXPECT_EQ(facts.num_events, 2u);
}

constexpr char kAsync[] = "string _placement; string _name;";

TEST(TraceFacts, AsynchronousOpsEndInTheOrderOfTheirBegins) {
  AnyEvents events;
  const auto add = [&](const char* what, uint64_t time, int thread) {
    events.Add(
        what, kAsync, time,
        ByteWriter().PutString("/device:cpu:0").PutString("recv").bytes(),
        thread);
  };
  add("tensorflowTracer:async_operation_start", 10, 1);
  add("tensorflowTracer:async_operation_start", 20, 2);
  add("tensorflowTracer:async_operation_end", 50, 3);
  add("tensorflowTracer:async_operation_end", 51, 3);
  add("tensorflowTracer:async_operation_end", 52, 3);
  add("tensorflowTracer:async_operation_start", 60, 1);
  const TraceFacts facts = events.Facts();
  ASSERT_THAT(facts.async_ops, SizeIs(2));
  EXPECT_EQ(facts.async_ops[0].end - facts.async_ops[0].begin, 40);
  EXPECT_EQ(facts.async_ops[1].end - facts.async_ops[1].begin, 31);
  EXPECT_EQ(facts.threads[facts.async_ops[1].thread].thread, 2)
      << "the thread that began it";
  EXPECT_EQ(facts.async_ends_without_start, 1u);
  EXPECT_EQ(facts.unfinished_async, 1u);
}

TEST(TraceFacts, CallsAreSummedAndOnlyLaunchesAreKept) {
  AnyEvents events;
  const auto call = [&](uint64_t entry, uint64_t exit, const char* name) {
    const std::string payload = ByteWriter().PutString(name).bytes();
    events.Add("openclTracer:function_entry", "string _name;", entry, payload);
    events.Add("openclTracer:function_exit", "string _name;", exit, payload);
  };
  call(10, 15, "clEnqueueNDRangeKernel");
  call(20, 27, "clFinish");
  call(30, 33, "clFinish");
  const TraceFacts facts = events.Facts();
  ASSERT_THAT(facts.calls, SizeIs(1));
  EXPECT_EQ(facts.calls[0].end - facts.calls[0].begin, 5);
  EXPECT_THAT(facts.host_calls, SizeIs(3)) << "what the thread did";
  const CallSum& finish = facts.call_sums.at(
      {facts.names.Find("openclTracer"), facts.names.Find("clFinish")});
  EXPECT_EQ(finish.count, 2);
  EXPECT_EQ(finish.total, 10);
  EXPECT_EQ(finish.least, 3);
  EXPECT_EQ(finish.most, 7);
}

TEST(TraceFacts, RangesAreSummedByKindWithTheirBytes) {
  AnyEvents events;
  const std::string name = ByteWriter().PutString("MatMul").bytes();
  events.Add("tensorflowTracer:inline_ready_entry", "string _name;", 10, name);
  events.Add("tensorflowTracer:inline_ready_exit", "string _name;", 14, name);
  events.Add("streamTracer:memcpy_start", "string _name; uint64_t _size;", 20,
             name + ByteWriter().Put(uint64_t{64}).bytes());
  events.Add("streamTracer:memcpy_end", "string _name;", 26, name);
  const TraceFacts facts = events.Facts();
  ASSERT_THAT(facts.range_sums, SizeIs(2));
  EXPECT_EQ(facts.names.Get(facts.range_sums[0].kind), "inline_ready");
  EXPECT_EQ(facts.range_sums[0].sum.total, 4);
  EXPECT_EQ(facts.range_sums[1].sum.total, 6);
  EXPECT_EQ(facts.range_sums[1].bytes, 64);
  EXPECT_THAT(facts.ranges, SizeIs(1)) << "those in which an op may begin";
  EXPECT_TRUE(facts.host_calls.empty()) << "nobody named these ranges";
}

TEST(TraceFacts, OpsThatNeverEndDoNotGrowWithoutBound) {
  EventScript script;
  for (uint64_t i = 0; i < 1100; ++i) script.Op(kOpStart, 10 + i, "open");
  script.Op(kOpEnd, 5000, "open");
  const TraceFacts facts = script.Facts();
  ASSERT_THAT(facts.ops, SizeIs(1));
  EXPECT_EQ(facts.ops[0].begin, 1000 + 10 + 1099);
  EXPECT_EQ(facts.unfinished_ops.at(facts.names.Find("open")), 1099u);
}

TEST(TraceFacts, ACancelledReadEnds) {
  // The cancellation is checked every 65,536 events.
  std::string events;
  for (uint64_t i = 0; i < 70000; ++i) events += TestEvent(0, i).bytes();
  loaders::ImportLog log;
  const auto files = OpenTest(
      TestMetadata("event { name = \"other:e\"; id = 0; stream_id = 0; };"),
      {PacketBytes({.events = events})}, log);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(CollectFacts(*files, nullptr, log).num_events, 70000u);
  util::Cancellation cancellation;
  cancellation.Request();
  EXPECT_EQ(CollectFacts(*files, &cancellation, log).num_events, 65536u);
}

// The recorder dropped some events in between.
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
  end(15, 3);  // its begin was dropped
  begin(16, 0, "never ends");
  loaders::ImportLog log;
  const auto files = OpenTest(metadata, {PacketBytes({.events = events})}, log);
  ASSERT_TRUE(files.ok()) << files.status();
  const TraceFacts facts = CollectFacts(*files, nullptr, log);
  std::vector<std::pair<std::string, int64_t>> ops;
  for (const Interval& op : facts.ops) {
    ops.emplace_back(facts.names.Get(op.name), op.end - op.begin);
    EXPECT_EQ(facts.names.Get(op.type), "Type");
  }
  EXPECT_THAT(ops, ElementsAre(Pair("inner", 1), Pair("outer", 4)));
  EXPECT_THAT(facts.unfinished_ops, SizeIs(2));
  EXPECT_THAT(facts.op_ends_without_start, SizeIs(1));
}

}  // namespace
}  // namespace tfprof::ctf
