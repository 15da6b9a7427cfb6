#include "profile/tables/string_pool.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "profile/prefix_hashes.h"

namespace tfprof::profile {
namespace {

// Names average 30 to 60 bytes: a first chunk of 4 KiB holds a small graph, and
// with chunks that double up to 1 MiB at most half of a small pool is unused.
constexpr size_t kFirstChunk = 4 << 10;
constexpr size_t kLastChunk = 1 << 20;

}  // namespace

StringPool::StringPool(const StringPool& other) {
  strings_.reserve(other.strings_.size());
  for (std::string_view s : other.strings_) strings_.push_back(Store(s));
  slots_ = other.slots_;
  mask_ = other.mask_;
}

namespace {

// Folds the 128-bit product of two numbers into 64 bits.
uint64_t Mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t Load(const char* p, size_t size) {
  uint64_t v = 0;
  std::memcpy(&v, p, size);
  return v;
}

// Random numbers that differ in each process, so that no file can provoke
// collisions. The first one is the initial hash. The second one is combined
// with each block before the multiplication: with a known number, a file could
// use a block of the same number to make the product 0, whatever the other
// bytes are.
uint64_t Random() {
  std::random_device device;
  return Mix(device() | uint64_t{device()} << 32 | 1, 0x9e3779b97f4a7c15);
}
const uint64_t kSeed = Random();
const uint64_t kSecret = Random();

// Adds the full blocks of a string. The last block has 1 to 16 bytes and is
// left to Finish().
constexpr size_t kBlock = 16;

inline uint64_t AddBlock(uint64_t h, const char* p) {
  return Mix(Load(p, 8) ^ kSecret, Load(p + 8, 8) ^ h);
}

// Adds the last `left` bytes, at `p`, of a string of `size` bytes.
inline uint32_t Finish(uint64_t h, const char* p, size_t left, size_t size) {
  // Read 1 to 16 bytes with loads that may overlap.
  uint64_t low = 0, high = 0;
  if (left >= 8) {
    low = Load(p, 8);
    high = Load(p + left - 8, 8);
  } else if (left >= 4) {
    low = Load(p, 4);
    high = Load(p + left - 4, 4);
  } else if (left > 0) {
    low = Load(p, 1) | Load(p + left / 2, 1) << 8 | Load(p + left - 1, 1) << 16;
  }
  h = Mix(low ^ kSecret, high ^ h);
  // Add the size last, where no byte can cancel it.
  return static_cast<uint32_t>(Mix(h, 0xa0761d6478bd642f ^ size) >> 32);
}

}  // namespace

uint32_t StringPool::Hash(std::string_view s) {
  uint64_t h = kSeed;
  const char* p = s.data();
  size_t left = s.size();
  for (; left > kBlock; p += kBlock, left -= kBlock) h = AddBlock(h, p);
  return Finish(h, p, left, s.size());
}

void PrefixHashes::Assign(std::string_view text) {
  text_ = text;
  states_.clear();
  uint64_t h = kSeed;
  size_t begin = 0;
  for (; text.size() - begin > kBlock; begin += kBlock) {
    states_.push_back(h);
    h = AddBlock(h, text.data() + begin);
  }
  states_.push_back(h);
}

uint32_t PrefixHashes::Of(size_t size) const {
  const size_t block = size == 0 ? 0 : (size - 1) / kBlock;
  const size_t begin = block * kBlock;
  return Finish(states_[block], text_.data() + begin, size - begin, size);
}

StringId StringPool::Intern(std::string_view s, uint32_t hash) {
  if ((strings_.size() + 1) * 8 > slots_.size() * 7) {
    Rehash(std::max<size_t>(64, slots_.size() * 2));
  }
  for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
    Slot& slot = slots_[i];
    if (slot.id == kNone) {
      slot = {hash, static_cast<StringId>(strings_.size())};
      strings_.push_back(Store(s));
      return slot.id;
    }
    if (slot.hash == hash && strings_[slot.id] == s) return slot.id;
  }
}

void StringPool::Reserve(size_t size) {
  strings_.reserve(size);
  size_t slots = 64;
  while (size * 8 > slots * 7) slots *= 2;
  if (slots > slots_.size()) Rehash(slots);
}

void StringPool::Rehash(size_t slots) {
  std::vector<Slot> old(slots, Slot{0, kNone});
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == kNone) continue;
    size_t i = slot.hash & mask_;
    while (slots_[i].id != kNone) i = (i + 1) & mask_;
    slots_[i] = slot;
  }
}

std::string_view StringPool::Store(std::string_view s) {
  // NOLINTNEXTLINE(bugprone-string-constructor): its data() is not null.
  if (s.empty()) return std::string_view("", 0);
  if (s.size() > chunk_free_) {
    const size_t usual = std::clamp(chunk_bytes_, kFirstChunk, kLastChunk);
    const size_t size = std::max(usual, s.size());
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    chunk_at_ = chunks_.back().get();
    chunk_free_ = size;
    chunk_bytes_ += size;
  }
  std::memcpy(chunk_at_, s.data(), s.size());
  const std::string_view stored(chunk_at_, s.size());
  chunk_at_ += s.size();
  chunk_free_ -= s.size();
  return stored;
}

size_t StringPool::bytes() const {
  return strings_.capacity() * sizeof(std::string_view) +
         slots_.capacity() * sizeof(Slot) + chunk_bytes_;
}

void StringPool::Trim() {
  if (strings_.capacity() - strings_.size() > strings_.size() / 4) {
    strings_.shrink_to_fit();
  }
}

}  // namespace tfprof::profile
