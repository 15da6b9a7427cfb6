#include "loaders/xplane/lines/line_events.h"

#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "loaders/xplane/xplane_testing.h"
#include "util/files/wire.h"

namespace tfprof::xplane {
namespace {
namespace line_events_test {

// Reads the events of the first line of a plane.
struct Read {
  explicit Read(const XPlaneMaker& plane, int64_t origin_ns = 0)
      : Read(XSpaceOf({plane.Bytes()}), origin_ns) {}
  explicit Read(std::string bytes, int64_t origin_ns = 0)
      : file(XPlaneInput(std::move(bytes))), space(ReadXSpace(*file, log)) {
    const XLine* const part = &space.planes[0].lines[0];
    line = ReadLine({&part, 1}, space.planes[0], file->bytes().data(),
                    origin_ns, nullptr);
  }

  loaders::ImportLog log;
  std::shared_ptr<const loaders::InputFile> file;
  XSpace space;
  LineEvents line;
};

TEST(ReadLineTest, TimesAreFromTheOrigin) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("t", 1000, {plane.Event("a", 5, 7)});
  const Read read(plane, 990);
  ASSERT_EQ(read.line.events.size(), 1u);
  EXPECT_EQ(read.line.events[0].start, 10'005);
  EXPECT_EQ(read.line.events[0].duration, 7);
}

TEST(ReadLineTest, AbsoluteTimesDoNotOverflow) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("t", 1'800'000'000'000'000'000, {plane.Event("a", 5, 7)});
  const Read read(plane, 1'800'000'000'000'000'000);
  EXPECT_EQ(read.line.events[0].start, 5);
}

TEST(ReadLineTest, TheOffsetIsThatOfTheField) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("t", 0, {plane.Event("a", 1, 1), plane.Event("a", 300, 1)});
  const Read read(plane);
  for (const Event& event : read.line.events) {
    util::WireReader r(read.file->bytes().substr(event.offset));
    ASSERT_TRUE(r.Next());
    EXPECT_EQ(r.tag(), util::LengthTag(4));
  }
}

TEST(ReadLineTest, StatsOfInstructionsMakeKeys) {
  XPlaneMaker plane("/host:CPU");
  const auto event = [&](std::string_view op, int64_t program) {
    return plane.Event(
        "x", 1, 1,
        {plane.Ref("hlo_op", op), plane.Int("program_id", program),
         plane.Int("unknown", 3)});
  };
  plane.Line("t", 0,
             {event("call.1::dot", 1), event("dot", 1), event("dot", 2),
              event("dot", 1)});
  const Read read(plane);
  ASSERT_EQ(read.line.events.size(), 4u);
  EXPECT_EQ(read.line.keys.size(), 2u);
  EXPECT_EQ(read.line.keys[0].hlo_op, "dot");
  EXPECT_EQ(read.line.events[3].key, read.line.events[0].key);
}

TEST(ReadLineTest, ArgumentsOfRangesDoNot) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("t", 0,
             {plane.Event("x", 1, 1, {plane.Text("name", "a")}),
              plane.Event("x", 2, 1, {plane.Text("name", "b")})});
  EXPECT_EQ(Read(plane).line.keys.size(), 1u);
}

TEST(ReadLineTest, CallsThatTraceTheirFunctionAreTold) {
  XPlaneMaker plane("/host:CPU");
  const auto call = [&](std::string_view how) {
    return plane.Event("f", 1, 1, {plane.Ref("tf_function_call", how)});
  };
  plane.Line("t", 0,
             {call("notTraced-nonXla"), call("traced-nonXla"),
              call("notTraced-xla"), call("traced-xla")});
  const Read read(plane);
  ASSERT_EQ(read.line.events.size(), 4u);
  ASSERT_EQ(read.line.keys.size(), 2u);
  EXPECT_FALSE(read.line.keys[read.line.events[0].key].is_tracing);
  EXPECT_TRUE(read.line.keys[read.line.events[1].key].is_tracing);
  EXPECT_EQ(read.line.events[0].key, read.line.events[2].key);
  EXPECT_EQ(read.line.events[1].key, read.line.events[3].key);
}

TEST(ReadLineTest, FlowsAreOf64Bits) {
  XPlaneMaker plane("/host:CPU");
  plane.Line(
      "t", 0,
      {plane.Event("x", 1, 1, {plane.Int("_pt", 1), plane.Int("_p", -1)}),
       plane.Event("x", 2, 1,
                   {plane.Uint("_ct", 1), plane.Uint("_c", ~uint64_t{0})})});
  const Read read(plane);
  ASSERT_EQ(read.line.flows.size(), 2u);
  EXPECT_TRUE(read.line.flows[0].produces);
  EXPECT_EQ(read.line.flows[0].id, read.line.flows[1].id);
}

TEST(ReadLineTest, ListsHaveTheNumberOfTheirEvent) {
  XPlaneMaker plane("/host:CPU");
  plane.Line(
      "t", 0,
      {plane.Event("a", 1, 1),
       plane.Event("b", 2, 1,
                   {plane.Int("correlation_id", 9), plane.Int("group_id", 8),
                    plane.Int("step_num", 7)})});
  const Read read(plane);
  ASSERT_EQ(read.line.correlations.size(), 1u);
  EXPECT_EQ(read.line.correlations[0], (std::pair<uint32_t, uint64_t>(1, 9)));
  EXPECT_EQ(read.line.groups[0], (std::pair<uint32_t, int64_t>(1, 8)));
  EXPECT_EQ(read.line.steps[0], (std::pair<uint32_t, int64_t>(1, 7)));
}

TEST(ReadLineTest, ReadsAllocations) {
  XPlaneMaker plane("/host:CPU");
  plane.Line(
      "t", 0,
      {plane.Event(
          "MemoryAllocation", 1, 0,
          {plane.Text("allocator_name", "bfc"), plane.Text("tf_op", "net/x"),
           plane.Int("requested_bytes", 10), plane.Int("allocation_bytes", 16),
           plane.Int("bytes_allocated", 160)})});
  const Read read(plane);
  ASSERT_EQ(read.line.memory.size(), 1u);
  EXPECT_TRUE(read.line.memory[0].allocates);
  EXPECT_EQ(read.line.memory[0].allocator, "bfc");
  EXPECT_EQ(read.line.memory[0].tf_op, "net/x");
  EXPECT_EQ(read.line.memory[0].requested_bytes, 10);
  EXPECT_EQ(read.line.memory[0].bytes_in_use, 160);
}

TEST(ReadLineTest, DeviceTimesAreOfAllEventsOrOfNone) {
  XPlaneMaker plane("/device:TPU:0");
  const auto event = [&](int64_t at) {
    return plane.Event("x", at, 1,
                       {plane.Uint("device_offset_ps", at + 100),
                        plane.Uint("device_duration_ps", 3)});
  };
  plane.Line("XLA Ops", 0, {event(1), event(2)});
  const Read all(plane);
  ASSERT_EQ(all.line.device_spans.size(), 2u);
  EXPECT_EQ(all.line.device_spans[1].start, 102);
  EXPECT_EQ(all.line.device_spans[1].duration, 3);
  XPlaneMaker mixed("/device:TPU:0");
  mixed.Line("XLA Ops", 0, {mixed.Event("x", 1, 1), mixed.Event("x", 2, 1)});
  EXPECT_TRUE(Read(mixed).line.device_spans.empty());
}

TEST(ReadLineTest, CountsWhatItLeavesOut) {
  XPlaneMaker plane("/host:CPU");
  std::string aggregated = plane.Event("a", 1, 1);
  aggregated += "\x28\x05";  // num_occurrences: 5
  plane.Line("t", 0,
             {aggregated, XPlaneMaker::EventOfId(99, 1, 1),
              plane.Event("a", 1, -1), plane.Event("a", 2, 3)});
  const Read read(plane);
  EXPECT_EQ(read.line.events.size(), 2u);
  EXPECT_EQ(read.line.aggregated, 1);
  EXPECT_EQ(read.line.without_metadata, 1);
  EXPECT_EQ(read.line.negative, 1);
  EXPECT_EQ(read.line.events[0].duration, 0);
}

TEST(ReadLineTest, SkipsUnknownFieldsAndLongNumbers) {
  XPlaneMaker plane("/host:CPU");
  std::string odd = plane.Event("a", -1, 5);  // a varint of ten bytes
  odd += "\x9a\x06\x02xy";                    // field 99
  odd += std::string("\x18\x84\x80\x80\x80\x80\x80\x80\x80\x00", 10);
  plane.Line("t", 0, {odd});
  const Read read(plane);
  ASSERT_EQ(read.line.events.size(), 1u);
  EXPECT_EQ(read.line.events[0].start, -1);
  EXPECT_EQ(read.line.events[0].duration, 4);
}

TEST(ReadLineTest, DropsDamagedEvents) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("t", 0, {"\x08", "\x22\x7f", plane.Event("a", 1, 1), "\x08\x80"});
  const Read read(plane);
  EXPECT_EQ(read.line.events.size(), 1u);
  EXPECT_EQ(read.line.damaged, 3);
  EXPECT_GT(read.line.damage_offset, 0u);
}

TEST(ReadLineTest, OrdinalsOfOtherDevicesThanTheFirst) {
  XPlaneMaker plane("/host:CPU");
  const auto event = [&](int64_t ordinal) {
    return plane.Event("a", 0, 1, {plane.Int("device_ordinal", ordinal)});
  };
  plane.Line("t", 0, {event(0), event(3), event(-1), event(4095), event(4096)});
  const auto file = XPlaneInput(XSpaceOf({plane.Bytes()}));
  loaders::ImportLog log;
  const XSpace space = ReadXSpace(*file, log);
  const XLine* const part = &space.planes[0].lines[0];
  const LineEvents line =
      ReadLine({&part, 1}, space.planes[0], file->bytes().data(), 0, nullptr);
  EXPECT_EQ(line.ordinals,
            (std::vector<std::pair<uint32_t, uint32_t>>{{1, 3}, {3, 4095}}));
}

TEST(ReadLineTest, IdsOfFlowsMayHaveAnyLength) {
  for (const int bits : {1, 7, 8, 49, 55, 56, 57, 62, 63, 64}) {
    const uint64_t id = ~uint64_t{0} >> (64 - bits);
    XPlaneMaker plane("/host:CPU");
    plane.Line(
        "t", 0,
        {plane.Event("x", 1, 1, {plane.Uint("_ct", 1), plane.Uint("_c", id)}),
         plane.Event("after it", 2, 1)});
    const Read read(plane);
    ASSERT_EQ(read.line.flows.size(), 1u) << bits;
    EXPECT_EQ(read.line.flows[0].id, id) << bits;
    EXPECT_EQ(read.line.events.size(), 2u) << bits;
    EXPECT_EQ(read.line.damaged_stats, 0) << bits;
  }
}

}  // namespace line_events_test
}  // namespace
}  // namespace tfprof::xplane
