#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace tfprof {
namespace {

// SplitMix64, which is the same everywhere, unlike the distributions of
// <random>.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // A number below `limit`, or 0 if `limit` is 0.
  size_t Below(size_t limit) { return limit == 0 ? 0 : Next() % limit; }

 private:
  uint64_t state_;
};

// Extreme values of lengths, ids, times and counts, as varints.
constexpr std::string_view kEdges[] = {
    std::string_view("\x00", 1),
    "\x01",
    "\x7f",
    "\xff\x01",
    "\xff\xff\xff\xff\x07",                      // 2^31 - 1
    "\x80\x80\x80\x80\x08",                      // 2^31
    "\xff\xff\xff\xff\x0f",                      // 2^32 - 1
    "\xff\xff\xff\xff\xff\xff\xff\xff\x7f",      // 2^63 - 1
    "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",  // -2^63
    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  // -1
    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",  // 70 bits
};

void MutateOnce(std::string& s, std::string_view other, Random& random) {
  const size_t at = random.Below(s.size());
  const size_t size = 1 + random.Below(std::min<size_t>(s.size() - at, 40));
  switch (s.empty() ? 6 : random.Below(8)) {
    case 0:
      s[at] = static_cast<char>(s[at] ^ 1 << random.Below(8));
      break;
    case 1:
      s[at] = static_cast<char>(random.Next());
      break;
    case 2:
      // A length, a tag or a character becomes larger or smaller by one.
      s[at] = static_cast<char>(s[at] + (random.Below(2) == 0 ? 1 : -1));
      break;
    case 3:
      s.erase(at, size);
      break;
    case 4:
      s.insert(random.Below(s.size()), s.substr(at, size));
      break;
    case 5: {
      const std::string_view edge = kEdges[random.Below(std::size(kEdges))];
      s.replace(at, random.Below(2), edge);
      break;
    }
    case 6: {
      const size_t from = random.Below(other.size());
      s.insert(at, other.substr(from, random.Below(200)));
      break;
    }
    case 7:
      s.resize(at);
      break;
  }
}

}  // namespace

std::string Mutate(std::string_view input, std::string_view other,
                   uint64_t number) {
  Random random(number);
  std::string mutated(input);
  for (size_t n = 1 + random.Below(4); n > 0; --n) {
    MutateOnce(mutated, other, random);
  }
  return mutated;
}

}  // namespace tfprof
