// LocalNames: numbers the distinct strings of a piece of input, from 0 in the
// order of first appearance.
//
// The piece that one core parses at a time repeats the same few thousand names.
// The core numbers them in a table that fits into its cache. Only the distinct
// names then go to the StringPool, which all cores share. For a million nodes,
// that is a third of all names and inputs.
//
// The strings are views into the input. There may be at most 2^32 - 1 of them.

#ifndef TFPROF_PROFILE_TABLES_LOCAL_NAMES_H_
#define TFPROF_PROFILE_TABLES_LOCAL_NAMES_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/tables/string_pool.h"

namespace tfprof::profile {

struct HashedName {
  std::string_view text;
  uint32_t hash = 0;  // StringPool::Hash
};

class LocalNames {
 public:
  // Appends the distinct strings to `names`, which must be empty.
  explicit LocalNames(std::vector<HashedName>& names) : names_(names) {}

  // Reserves memory for this many strings.
  void Reserve(size_t size) {
    names_.reserve(size);
    Grow(std::bit_ceil(2 * size));
  }

  uint32_t Number(std::string_view text) {
    return Number({text, StringPool::Hash(text)});
  }
  uint32_t Number(const HashedName& name) {
    if (names_.size() * 2 >= slots_.size()) Grow(slots_.size() * 2);
    for (size_t i = name.hash & mask_;; i = (i + 1) & mask_) {
      const uint32_t number = slots_[i];
      if (number == kNone) {
        slots_[i] = static_cast<uint32_t>(names_.size());
        names_.push_back(name);
        return slots_[i];
      }
      const HashedName& known = names_[number];
      if (known.hash == name.hash && known.text == name.text) return number;
    }
  }

 private:
  void Grow(size_t slots) {
    slots_.assign(std::max<size_t>(64, slots), kNone);
    mask_ = slots_.size() - 1;
    for (uint32_t number = 0; number < names_.size(); ++number) {
      size_t i = names_[number].hash & mask_;
      while (slots_[i] != kNone) i = (i + 1) & mask_;
      slots_[i] = number;
    }
  }

  std::vector<HashedName>& names_;
  std::vector<uint32_t> slots_;  // power of two, at most half full
  size_t mask_ = 0;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_LOCAL_NAMES_H_
