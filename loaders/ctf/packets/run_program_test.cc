// Tests programs that are written by hand.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/ctf/packets/decoding_plan.h"

namespace tfprof::ctf {
namespace {
namespace run_program_test {

using Op = Instruction::Op;
using ::testing::HasSubstr;

constexpr size_t kSlots = 8;

struct Outcome {
  bool ok = false;
  Cursor cursor;
  std::vector<Value> values;
  std::string error() const {
    return cursor.error == nullptr ? "" : cursor.error;
  }
};

// Runs `code` on `bytes`, from bit `position` on.
Outcome RunOn(std::vector<Instruction> code, std::string_view bytes,
              uint64_t position = 0, std::vector<Selection> selections = {}) {
  code.push_back({.op = Op::kEnd});
  const Program program = {std::move(code), std::move(selections)};
  Outcome outcome;
  outcome.values.resize(kSlots);
  outcome.cursor.data = bytes.data();
  outcome.cursor.position = position;
  outcome.cursor.limit = bytes.size() * 8;
  outcome.ok = Run(program, outcome.cursor, outcome.values.data());
  return outcome;
}

TEST(RunProgram, WholeNumbersHaveTheirOrderAndSign) {
  const std::string bytes = "\xfe\xff\x01\x02\x03\x04\x05\x06";
  struct Case {
    Op op;
    bool big, is_signed;
    uint64_t expected;
  };
  const auto negative = [](int64_t n) { return static_cast<uint64_t>(n); };
  for (const Case& c : std::vector<Case>{
           {Op::kLoad8, false, false, 0xfe},
           {Op::kLoad8, false, true, negative(-2)},
           {Op::kLoad16, false, false, 0xfffe},
           {Op::kLoad16, true, true, negative(-257)},
           {Op::kLoad32, false, true, 0x0201fffe},
           {Op::kLoad32, true, true, negative(int32_t(0xfeff0102))},
           {Op::kLoad64, false, false, 0x060504030201fffe},
           {Op::kLoad64, true, true, 0xfeff010203040506}}) {
    const Outcome run = RunOn(
        {{.op = c.op, .is_signed = c.is_signed, .big_endian = c.big}}, bytes);
    EXPECT_TRUE(run.ok);
    EXPECT_EQ(run.values[0].u, c.expected) << int{c.op};
  }
}

TEST(RunProgram, NothingIsReadBehindTheLimit) {
  const std::vector<std::pair<Instruction, uint64_t>> sizes = {
      {{.op = Op::kLoad8}, 8},
      {{.op = Op::kLoad16}, 16},
      {{.op = Op::kLoad32}, 32},
      {{.op = Op::kLoad64}, 64},
      {{.op = Op::kReal32}, 32},
      {{.op = Op::kReal64}, 64},
      {{.op = Op::kBits, .bits = 13}, 13},
  };
  const std::string bytes(16, '\x55');
  for (const auto& [instruction, bits] : sizes) {
    const std::string enough = bytes.substr(0, (bits + 7) / 8);
    EXPECT_TRUE(RunOn({instruction}, enough).ok) << bits;
    const Outcome cut =
        RunOn({instruction}, std::string_view(enough).substr(1));
    EXPECT_FALSE(cut.ok) << bits;
    EXPECT_EQ(cut.cursor.position, 0u);
    EXPECT_EQ(cut.error(), "the content of the packet ends within a field");
  }
}

// Reads bits one by one, in the bit order of CTF.
uint64_t SlowBits(std::string_view bytes, uint64_t at, uint32_t size,
                  bool big) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < size; ++i) {
    const uint64_t bit = at + i;
    const auto byte = static_cast<uint8_t>(bytes[bit / 8]);
    if (big) {
      value = value << 1 | (byte >> (7 - bit % 8) & 1);
    } else {
      value |= uint64_t{byte >> (bit % 8) & 1u} << i;
    }
  }
  return value;
}

TEST(RunProgram, BitFieldsOfAnySizeAtAnyBit) {
  std::string bytes;
  for (int i = 0; i < 24; ++i) bytes += static_cast<char>(i * 37 + 11);
  for (const bool big : {false, true}) {
    for (uint64_t at = 0; at < 8; ++at) {
      for (uint32_t size = 1; size <= 64; ++size) {
        const uint64_t expected = SlowBits(bytes, at, size, big);
        const Instruction op = {
            .op = Op::kBits, .big_endian = big, .bits = size};
        // The field is loaded in two ways: with and without bytes after it.
        for (const size_t length :
             {bytes.size(), size_t{(at + size + 7) / 8}}) {
          const Outcome run =
              RunOn({op}, std::string_view(bytes).substr(0, length), at);
          ASSERT_TRUE(run.ok);
          ASSERT_EQ(run.values[0].u, expected)
              << big << ' ' << at << ' ' << size << ' ' << length;
          EXPECT_EQ(run.cursor.position, at + size);
        }
      }
    }
  }
}

TEST(RunProgram, SignsOfBitFieldsAreExtended) {
  EXPECT_EQ(RunOn({{.op = Op::kBits, .is_signed = true, .bits = 3}}, "\x07")
                .values[0]
                .i,
            -1);
  EXPECT_EQ(RunOn({{.op = Op::kBits, .is_signed = true, .bits = 3}}, "\x03")
                .values[0]
                .i,
            3);
}

TEST(RunProgram, VariableNumbers) {
  const auto read = [](std::string_view bytes, bool is_signed) {
    return RunOn({{.op = Op::kLeb128, .is_signed = is_signed}}, bytes);
  };
  EXPECT_EQ(read("\xe5\x8e\x26", false).values[0].u, 624485u);
  EXPECT_EQ(read("\xc0\xbb\x78", true).values[0].i, -123456);
  EXPECT_EQ(read("\x3f", true).values[0].i, 63);
  EXPECT_EQ(read("\x40", true).values[0].i, -64);
  const std::string most = std::string(9, '\xff') + "\x01";
  EXPECT_EQ(read(most, false).values[0].u, ~uint64_t{0});
  EXPECT_EQ(read(std::string(10, '\xff') + "\x01", false).error(),
            "a number of more than 64 bits");
  EXPECT_THAT(read("\xff\xff", false).error(), HasSubstr("ends within"));
}

TEST(RunProgram, RealsMayBeginAtAnyBit) {
  // 1.5f and -2.0 in big endian, after 3 bits.
  for (const uint64_t shift : {0, 3}) {
    std::string bytes(13, '\0');
    const auto put = [&](uint64_t at, uint64_t value, uint32_t size) {
      for (uint32_t i = 0; i < size; ++i) {
        if ((value >> (size - 1 - i) & 1) == 0) continue;
        bytes[(at + i) / 8] |= static_cast<char>(0x80 >> ((at + i) % 8));
      }
    };
    put(shift, 0x3fc00000, 32);
    put(shift + 32, 0xc000000000000000, 64);
    const Outcome run =
        RunOn({{.op = Op::kReal32, .big_endian = true, .slot = 1},
               {.op = Op::kReal64, .big_endian = true, .slot = 2}},
              bytes, shift);
    ASSERT_TRUE(run.ok);
    EXPECT_EQ(run.values[1].d, 1.5);
    EXPECT_EQ(run.values[2].d, -2.0);
  }
}

TEST(RunProgram, AStringEndsAtItsZero) {
  using std::string_literals::operator""s;
  const std::string bytes = "ab\0\0x"s;
  const Outcome run = RunOn({{.op = Op::kString, .slot = 1},
                             {.op = Op::kString, .slot = 2},
                             {.op = Op::kLoad8, .slot = 3}},
                            bytes);
  ASSERT_TRUE(run.ok);
  EXPECT_EQ(run.values[1].text(), "ab");
  EXPECT_EQ(run.values[2].text(), "");
  EXPECT_EQ(run.values[3].u, uint64_t{'x'});
  EXPECT_THAT(RunOn({{.op = Op::kString}}, "abc").error(),
              HasSubstr("a string has no end"));
  EXPECT_FALSE(RunOn({{.op = Op::kString}}, "").ok);
}

TEST(RunProgram, ATextHasItsLengthAndIsCutAtAZero) {
  using std::string_literals::operator""s;
  const std::string bytes = "\x04"s + "ab\0d"s + "ef";
  const Outcome run = RunOn({{.op = Op::kLoad8, .slot = 1},
                             {.op = Op::kText, .slot = 2, .source = 1},
                             {.op = Op::kText, .slot = 3, .count = 2}},
                            "\x04"s + "ab\0d"s + "ef");
  ASSERT_TRUE(run.ok);
  EXPECT_EQ(run.values[2].text(), "ab");
  EXPECT_EQ(run.values[3].text(), "ef");
  for (const uint64_t count :
       {uint64_t{8}, std::numeric_limits<uint64_t>::max()}) {
    EXPECT_THAT(RunOn({{.op = Op::kText, .count = count}}, bytes).error(),
                HasSubstr("a text is longer than the content"));
  }
}

TEST(RunProgram, ASpanIsAViewOfNumbers) {
  const std::string bytes = "\x01\x02\xff\xfe";
  const Outcome run = RunOn({{.op = Op::kSpan, .bits = 16, .count = 2}}, bytes);
  ASSERT_TRUE(run.ok);
  Slot slot;
  slot.kind = Slot::kNumbers;
  slot.bits = 16;
  EXPECT_EQ(NumberAt(run.values[0], slot, 0), 0x0201);
  EXPECT_EQ(NumberAt(run.values[0], slot, 1), 0xfeff);
  slot.is_signed = slot.big_endian = true;
  EXPECT_EQ(NumberAt(run.values[0], slot, 1), -2);
  EXPECT_EQ(NumberAt(run.values[0], slot, 2), 0) << "behind the end";
  // The size is a product of more than 64 bits.
  for (const uint64_t count : {uint64_t{3}, uint64_t{1} << 60}) {
    EXPECT_THAT(
        RunOn({{.op = Op::kSpan, .bits = 16, .count = count}}, bytes).error(),
        HasSubstr("an array is longer than the content"));
  }
}

TEST(RunProgram, AlignmentMovesToTheNextMultiple) {
  const std::string bytes(8, '\x01');
  const Outcome run =
      RunOn({{.op = Op::kAlign, .count = 32}, {.op = Op::kLoad8}}, bytes, 5);
  ASSERT_TRUE(run.ok);
  EXPECT_EQ(run.cursor.position, 40u);
  EXPECT_EQ(RunOn({{.op = Op::kAlign, .count = 32}}, bytes, 32).cursor.position,
            32u);
  EXPECT_FALSE(RunOn({{.op = Op::kAlign, .count = 128}}, bytes, 5).ok);
}

// Loops over a byte: the instructions are at 0 (kLoop), 1 and 2 (kNext).
std::vector<Instruction> LoopOverByte(uint64_t count) {
  return {{.op = Op::kLoop, .slot = 1, .target = 3, .count = count},
          {.op = Op::kLoad8, .slot = 2},
          {.op = Op::kNext, .target = 1}};
}

TEST(RunProgram, ALoopKeepsItsLastElement) {
  const Outcome run = RunOn(LoopOverByte(3), "\x01\x02\x03\x04");
  ASSERT_TRUE(run.ok);
  EXPECT_EQ(run.values[1].size, 3u);
  EXPECT_EQ(run.values[2].u, 3u);
  EXPECT_EQ(run.cursor.position, 24u);
  EXPECT_EQ(RunOn(LoopOverByte(0), "\x01").cursor.position, 0u);
  EXPECT_FALSE(RunOn(LoopOverByte(5), "\x01\x02\x03\x04").ok);
}

TEST(RunProgram, LoopsMayBeInsideEachOther) {
  // 2 × 3 bytes.
  const Outcome run =
      RunOn({{.op = Op::kLoop, .slot = 1, .target = 5, .count = 2},
             {.op = Op::kLoop, .slot = 2, .target = 4, .count = 3},
             {.op = Op::kLoad8, .slot = 3},
             {.op = Op::kNext, .target = 2},
             {.op = Op::kNext, .target = 1}},
            "\x01\x02\x03\x04\x05\x06\x07");
  ASSERT_TRUE(run.ok);
  EXPECT_EQ(run.values[3].u, 6u);
  EXPECT_EQ(run.cursor.position, 48u);
}

TEST(RunProgram, ALoopOverNothingEndsAtOnce) {
  const Outcome run =
      RunOn({{.op = Op::kLoop, .target = 2, .count = ~uint64_t{0}},
             {.op = Op::kNext, .target = 1}},
            "");
  EXPECT_TRUE(run.ok);
}

TEST(RunProgram, ATagSelectsWhereToGoOn) {
  // 0: the tag, 1: select, 2-3: a byte, 4: two bytes.
  const auto read = [](bool is_signed, std::vector<Selection::Row> rows,
                       uint32_t otherwise, std::string_view bytes) {
    return RunOn({{.op = Op::kLoad8, .is_signed = is_signed, .slot = 1},
                  {.op = Op::kSelect, .source = 1, .target = 0},
                  {.op = Op::kLoad8, .slot = 2},
                  {.op = Op::kJump, .target = 5},
                  {.op = Op::kLoad16, .slot = 3}},
                 bytes, 0, {{is_signed, otherwise, std::move(rows)}});
  };
  EXPECT_EQ(
      read(false, {{0, 9, 2}, {10, 255, 4}}, 0, "\x09\x05zz").cursor.position,
      16u);
  EXPECT_EQ(
      read(false, {{0, 9, 2}, {10, 255, 4}}, 0, "\xff\x05zz").cursor.position,
      24u);
  EXPECT_EQ(read(true, {{-3, -1, 2}}, 5, "\xfezz").cursor.position, 16u);
  EXPECT_EQ(read(true, {{-3, -1, 2}}, 5, "\x01zz").cursor.position, 8u);
  EXPECT_EQ(read(false, {{1, 2, 2}}, 0, "\x09zz").error(),
            "no option of a variant fits its tag");
  // The row covers the whole range of an unsigned tag.
  EXPECT_TRUE(read(false, {{0, -1, 2}}, 0, "\xffz").ok);
}

// Reads an 8-bit clock and returns the time after each byte.
std::vector<uint64_t> Times(std::string_view bytes, uint64_t clock) {
  std::vector<uint64_t> times;
  const Program program = {
      {{.op = Op::kLoad8, .slot = 1},
       {.op = Op::kRole, .role = FieldRole::kTimestamp, .bits = 8, .slot = 1},
       {.op = Op::kEnd}},
      {}};
  std::vector<Value> values(kSlots);
  Cursor cursor;
  cursor.data = bytes.data();
  cursor.limit = bytes.size() * 8;
  cursor.clock = clock;
  while (cursor.position < cursor.limit) {
    EXPECT_TRUE(Run(program, cursor, values.data()));
    times.push_back(cursor.clock);
  }
  return times;
}

TEST(RunProgram, AShortTimestampGoesOnAfterItsOverflow) {
  EXPECT_THAT(Times("\xf0\xff\x01\x01", 0x1200),
              testing::ElementsAre(0x12f0, 0x12ff, 0x1301, 0x1301));
}

TEST(RunProgram, RolesGoToTheCursor) {
  const Outcome run = RunOn(
      {{.op = Op::kLoad8, .slot = 1},
       {.op = Op::kRole, .role = FieldRole::kEventId, .bits = 8, .slot = 1},
       {.op = Op::kRole, .role = FieldRole::kDiscarded, .bits = 8, .slot = 1},
       {.op = Op::kRole, .role = FieldRole::kUuid, .slot = 4}},
      "\x07");
  ASSERT_TRUE(run.ok);
  EXPECT_EQ(run.cursor.event_id, 7u);
  EXPECT_EQ(run.cursor.discarded_bits, 8u);
  EXPECT_EQ(run.cursor.uuid_slot, 4u);
  EXPECT_TRUE(run.cursor.Has(FieldRole::kEventId));
  EXPECT_EQ(run.cursor.Of(FieldRole::kDiscarded), 7u);
  EXPECT_FALSE(run.cursor.Has(FieldRole::kTimestamp));
}

}  // namespace run_program_test
}  // namespace
}  // namespace tfprof::ctf
