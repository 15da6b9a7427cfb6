#include "loaders/core/byte_notes.h"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace tfprof::loaders {
namespace {

int64_t CountSpaces(std::string_view text) {
  return std::ranges::count(text, ' ');
}

TEST(ByteNotesTest, BytesWithoutANoteAreRead) {
  ByteNotes notes;
  EXPECT_EQ(notes.Account("a b"), (ByteAccount{.read = 3}));
  EXPECT_EQ(notes.Account("a b", CountSpaces),
            (ByteAccount{.read = 2, .white_space = 1}));
  EXPECT_EQ(notes.Account(""), ByteAccount());
}

TEST(ByteNotesTest, TheGravestNoteHolds) {
  ByteNotes notes;
  notes.Note(ByteNotes::kDamaged, 2, 4);
  notes.Note(ByteNotes::kUnused, 0, 3);
  notes.Note(ByteNotes::kUnused, 6, 7);
  notes.Note(ByteNotes::kRepaired, 3, 6);
  EXPECT_EQ(notes.Account("ab de gh", CountSpaces),
            (ByteAccount{.read = 1, .unused = 3, .repaired = 2, .damaged = 2}));
}

TEST(ByteNotesTest, NotesEndWithTheBytes) {
  ByteNotes notes;
  notes.Note(ByteNotes::kDamaged, 2, 9);
  notes.Note(ByteNotes::kDamaged, 8, 9);
  EXPECT_EQ(notes.Account("abcd"), (ByteAccount{.read = 2, .damaged = 2}));
}

// Compares with a look at each byte.
TEST(ByteNotesTest, AnyNotesAddUp) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string bytes;
    for (size_t i = random() % 30; i > 0; --i) {
      bytes += random() % 3 == 0 ? ' ' : 'x';
    }
    ByteNotes notes;
    std::string parts(bytes.size(), 0);
    for (size_t i = random() % 8; i > 0; --i) {
      const size_t begin = random() % 30, end = begin + random() % 8;
      const auto part = static_cast<ByteNotes::Part>(random() % 5);
      notes.Note(part, begin, end);
      for (size_t at = begin; at < std::min(end, bytes.size()); ++at) {
        parts[at] = std::max(parts[at], static_cast<char>(part + 1));
      }
    }
    ByteAccount expected;
    for (size_t at = 0; at < bytes.size(); ++at) {
      int64_t* const classes[] = {&expected.read,        &expected.unused,
                                  &expected.white_space, &expected.free,
                                  &expected.repaired,    &expected.damaged};
      const bool is_space = parts[at] <= 1 && bytes[at] == ' ';
      ++*(is_space ? &expected.white_space
                   : classes[static_cast<uint8_t>(parts[at])]);
    }
    EXPECT_EQ(notes.Account(bytes, CountSpaces), expected) << round;
  }
}

}  // namespace
}  // namespace tfprof::loaders
