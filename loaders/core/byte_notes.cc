#include "loaders/core/byte_notes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace tfprof::loaders {
namespace {

constexpr int64_t ByteAccount::*kClasses[] = {
    &ByteAccount::read, &ByteAccount::unused,   &ByteAccount::white_space,
    &ByteAccount::free, &ByteAccount::repaired, &ByteAccount::damaged};

}  // namespace

ByteAccount ByteNotes::Account(std::string_view bytes,
                               int64_t (*count_spaces)(std::string_view)) {
  std::ranges::sort(notes_, {}, &Stretch::begin);
  ByteAccount account;
  // How far the notes of each class reach, from the last place that was added.
  // The first is that of the bytes that are read.
  std::array<size_t, std::size(kClasses)> ends = {};
  ends[0] = bytes.size();
  size_t at = 0;
  // Adds what is before `end`, of which all notes are known.
  const auto add = [&](size_t end) {
    while (at < end) {
      size_t gravest = std::size(kClasses) - 1;
      while (ends[gravest] <= at) --gravest;
      const size_t until = std::min(end, ends[gravest]);
      const std::string_view piece = bytes.substr(at, until - at);
      int64_t size = static_cast<int64_t>(piece.size());
      const bool has_spaces = gravest == 0 || gravest == kUnused + 1;
      if (has_spaces && count_spaces != nullptr) {
        const int64_t spaces = count_spaces(piece);
        account.white_space += spaces;
        size -= spaces;
      }
      account.*kClasses[gravest] += size;
      at = until;
    }
  };
  for (const Stretch& note : notes_) {
    add(std::min(note.begin, bytes.size()));
    size_t& end = ends[static_cast<size_t>(note.part) + 1];
    end = std::max(end, std::min(note.end, bytes.size()));
  }
  add(bytes.size());
  return account;
}

}  // namespace tfprof::loaders
