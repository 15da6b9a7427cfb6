// Tests how types are compiled.

#include "loaders/ctf/packets/decoding_plan.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/ctf/ctf_testing.h"
#include "loaders/ctf/language/tsdl.h"

namespace tfprof::ctf {
namespace {
namespace decoding_plan_test {

using Op = Instruction::Op;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

absl::StatusOr<TracePlan> PlanOf(const std::string& text) {
  TraceTypes types;
  EXPECT_EQ(ParseTsdl(text, types), "");
  return CompilePlan(types);
}

// Declares a trace with one event, whose headers have one byte.
std::string WithFields(const std::string& fields) {
  return "typealias integer { size = 8; } := u8;"
         "typealias integer { size = 32; align = 32; } := u32;"
         "trace { packet.header := struct { u8 magic; }; };"
         "stream { event.header := struct { u8 id; };"
         " packet.context := struct { u8 packet_size, n; }; };"
         "event { name = e; id = 1; fields := struct { " +
         fields + " }; };";
}

// Returns the instructions of the event, except kRole.
std::vector<Op> OpsOf(const std::string& fields) {
  const auto plan = PlanOf(WithFields(fields));
  EXPECT_TRUE(plan.ok()) << plan.status();
  std::vector<Op> ops;
  if (!plan.ok()) return ops;
  for (const Instruction& i : plan->plans[0].plans[0].body.code) {
    if (i.op != Op::kRole) ops.push_back(i.op);
  }
  return ops;
}

std::string Error(const std::string& text) {
  return std::string(PlanOf(text).status().message());
}

TEST(DecodingPlan, AKnownPositionIsNotAligned) {
  EXPECT_THAT(OpsOf("u8 a, b;"), ElementsAre(Op::kLoad8, Op::kLoad8, Op::kEnd));
  // The event begins at a byte, which may be in the middle of a word.
  EXPECT_THAT(OpsOf("u32 a; u32 b; u8 c; u8 d;"),
              ElementsAre(Op::kAlign, Op::kLoad32, Op::kLoad32, Op::kLoad8,
                          Op::kLoad8, Op::kEnd));
  EXPECT_THAT(OpsOf("u32 a; string s; u32 b;"),
              ElementsAre(Op::kAlign, Op::kLoad32, Op::kString, Op::kAlign,
                          Op::kLoad32, Op::kEnd));
}

TEST(DecodingPlan, BitsThatAreNoBytesAreBitFields) {
  EXPECT_THAT(
      OpsOf("integer { size = 3; } a; integer { size = 8; align = 1; } b;"
            " u8 c; integer { size = 24; } d;"),
      ElementsAre(Op::kBits, Op::kBits, Op::kAlign, Op::kLoad8, Op::kBits,
                  Op::kEnd));
}

TEST(DecodingPlan, ArraysOfNumbersAreSpansAndOthersLoops) {
  EXPECT_THAT(OpsOf("u8 a[4];"), ElementsAre(Op::kSpan, Op::kEnd));
  EXPECT_THAT(OpsOf("integer { size = 8; encoding = UTF8; } a[4];"),
              ElementsAre(Op::kText, Op::kEnd));
  EXPECT_THAT(OpsOf("integer { size = 3; } a[4];"),
              ElementsAre(Op::kLoop, Op::kBits, Op::kNext, Op::kEnd));
  EXPECT_THAT(
      OpsOf("struct { u8 x; } a[4];"),
      ElementsAre(Op::kLoop, Op::kAlign, Op::kLoad8, Op::kNext, Op::kEnd));
}

TEST(DecodingPlan, AVariantJumpsBehindItsOptions) {
  const auto plan = PlanOf(WithFields(
      "enum : u8 { x, y = 5 ... 9 } tag; variant <tag> { u8 x; u32 y; } v;"
      " u8 last;"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  const Program& body = plan->plans[0].plans[0].body;
  ASSERT_THAT(body.selections, SizeIs(1));
  const std::vector<Selection::Row>& rows = body.selections[0].rows;
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].last, 0);
  EXPECT_EQ(rows[1].first, 5);
  EXPECT_EQ(rows[1].last, 9);
  EXPECT_EQ(body.code[rows[0].target].op, Op::kLoad8);
  EXPECT_EQ(body.selections[0].otherwise, 0u) << "another tag is damage";
  uint32_t behind = 0;
  for (const Instruction& i : body.code) {
    if (i.op != Op::kJump) continue;
    if (behind == 0) behind = i.target;
    EXPECT_EQ(i.target, behind);
  }
  EXPECT_EQ(body.code[behind].op, Op::kLoad8) << "the field 'last'";
}

// Returns the slot that holds the length of the array "all".
std::string LengthOf(const std::string& fields) {
  const auto plan = PlanOf(WithFields(fields));
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return "";
  const StreamPlan& stream = plan->plans[0];
  const EventPlan& event = stream.plans[0];
  for (const Instruction& i : event.body.code) {
    if (i.op != Op::kSpan || i.source == kNoSlot) continue;
    if (i.source >= event.first_slot) {
      return "event " + event.slots[i.source - event.first_slot].path;
    }
    return "packet " + stream.slots[i.source - stream.first_slot].path;
  }
  return "none";
}

TEST(DecodingPlan, ALengthIsLookedForFromTheInsideOut) {
  EXPECT_EQ(LengthOf("u8 n; struct { u8 n; u8 all[n]; } s;"), "event s.n");
  EXPECT_EQ(LengthOf("u8 n; struct { u8 m; u8 all[n]; } s;"), "event n");
  EXPECT_EQ(LengthOf("struct { u8 n; } s; u8 all[s.n];"), "event s.n");
  EXPECT_EQ(LengthOf("u8 all[n];"), "packet n") << "of the context";
  EXPECT_EQ(LengthOf("u8 n; u8 all[stream.packet.context.n];"), "packet n");
}

TEST(DecodingPlan, ALengthMustBeAnIntegerBefore) {
  EXPECT_EQ(Error(WithFields("u8 all[m]; u8 m;")),
            "all needs an integer 'm' before it");
  EXPECT_EQ(Error(WithFields("string m; struct { u8 all[m]; } s;")),
            "s.all needs an integer 'm' before it");
}

TEST(DecodingPlan, IdsAreFoundWhetherSmallOrLarge) {
  const auto plan = PlanOf(
      "stream { }; event { name = a; id = 7; };"
      "event { name = b; id = 18446744073709551615; };");
  ASSERT_TRUE(plan.ok()) << plan.status();
  const StreamPlan& stream = plan->plans[0];
  EXPECT_EQ(stream.Find(7), &stream.plans[0]);
  EXPECT_EQ(stream.Find(~uint64_t{0}), &stream.plans[1]);
  EXPECT_EQ(stream.Find(6), nullptr);
  EXPECT_EQ(stream.Find(5000), nullptr);
}

TEST(DecodingPlan, ClassesThatContradictEachOtherAreErrors) {
  EXPECT_EQ(Error("stream { id = 4; }; stream { id = 4; };"),
            "two streams with the id 4");
  EXPECT_EQ(Error("stream { id = 4; }; event { name = e; stream_id = 5; };"),
            "event e of a stream 5 that is not declared");
  EXPECT_THAT(Error("stream { }; event { name = a; }; event { name = b; };"),
              HasSubstr("two events with the id 0 in stream 0: b is"));
}

TEST(DecodingPlan, TypesThatDoubleAreErrors) {
  std::string text = "struct s0 { };";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "struct s" + std::to_string(i - 1);
    text += "struct s" + std::to_string(i) + " { " + before + " a; " + before +
            " b; };";
  }
  EXPECT_THAT(Error(text + "stream { }; event { fields := struct s59; };"),
              HasSubstr("types contain too many others"));
}

TEST(DecodingPlan, AnEventOfTooManyFieldsIsAnError) {
  std::string fields;
  for (int i = 0; i < 9000; ++i) fields += "u8 f" + std::to_string(i) + ";";
  EXPECT_THAT(Error(WithFields(fields)),
              HasSubstr("needs more than 8192 instructions"));
}

TEST(DecodingPlan, FieldsAreFoundInTheirPart) {
  const auto plan = PlanOf(WithFields("u8 n; struct { u8 x; } s;"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  const StreamPlan& stream = plan->plans[0];
  const EventPlan& event = stream.plans[0];
  const auto find = [&](Scope scope, std::string_view name) {
    return FindSlot(stream, event, scope, name);
  };
  const SlotId in_payload = find(Scope::kPayload, "n");
  const SlotId in_context = find(Scope::kPacketContext, "n");
  ASSERT_NE(in_payload, kNoSlot);
  ASSERT_NE(in_context, kNoSlot);
  EXPECT_NE(in_payload, in_context);
  EXPECT_EQ(find(Scope::kEventContext, "n"), kNoSlot);
  EXPECT_NE(find(Scope::kPayload, "s.x"), kNoSlot);
  EXPECT_EQ(find(Scope::kPayload, "x"), kNoSlot);
  const Slot* slot = nullptr;
  FindSlot(stream, event, Scope::kPayload, "n", &slot);
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(slot->kind, Slot::kUnsigned);
  EXPECT_LT(in_payload, plan->num_values);
}

TEST(DecodingPlan, TheClockIsThatOfTheStreamOrOfItsTimestamp) {
  const std::string clocks = "clock { name = a; }; clock { name = b; };";
  const std::string stream =
      "stream { event.header := struct {"
      " integer { size = 8; map = clock.b.value; } timestamp; }; };";
  const auto plan = PlanOf(clocks + stream);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->plans[0].clock, 1);
  EXPECT_EQ(PlanOf("stream { };")->plans[0].clock, -1);
  EXPECT_EQ(PlanOf(clocks + "stream { };")->plans[0].clock, 0);
}

}  // namespace decoding_plan_test
}  // namespace
}  // namespace tfprof::ctf
