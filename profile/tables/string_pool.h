// StringPool: holds every distinct string once, under a dense 32-bit id.
//
//   StringPool pool;
//   StringId a = pool.Intern("conv1/Conv2D");   // 0
//   StringId b = pool.Intern("conv1/Conv2D");   // 0 again
//   pool.Get(a);                                // "conv1/Conv2D"
//   pool.Find("nope");                          // kNone
//
// Ids count up from 0 in the order of first appearance, so they depend on the
// input only, never on hashes or threads. The bytes are copied into chunks that
// the pool owns and never moves: a string_view from Get() is valid as long as
// the pool. Bytes are arbitrary (names are often not UTF-8). A pool has at most
// 2^32 - 2 strings.
//
// Reading (Get, Find, Hash) is safe from many threads while no thread interns.
// Collisions are resolved by linear probing over a hash that multiplies 16
// bytes at a time (4 ns for a name; absl's general hash takes 12 ns, which was
// a tenth of the time to load a graph). Its seed differs in each process, so no
// file can provoke collisions: a million strings with one prefix cost as much
// as any other million.

#ifndef TFPROF_PROFILE_TABLES_STRING_POOL_H_
#define TFPROF_PROFILE_TABLES_STRING_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace tfprof::profile {

using StringId = uint32_t;

// "No such entry", for every kind of id.
inline constexpr uint32_t kNone = 0xffffffff;

class StringPool {
 public:
  StringPool() = default;
  StringPool(const StringPool& other);
  StringPool& operator=(const StringPool&) = delete;
  StringPool(StringPool&&) = default;
  StringPool& operator=(StringPool&&) = default;

  StringId Intern(std::string_view s) { return Intern(s, Hash(s)); }
  // The same for a caller that has already computed the hash.
  StringId Intern(std::string_view s, uint32_t hash);

  // Returns kNone if `s` was never interned.
  StringId Find(std::string_view s) const { return Find(s, Hash(s)); }
  StringId Find(std::string_view s, uint32_t hash) const {
    if (slots_.empty()) return kNone;
    for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
      const Slot slot = slots_[i];
      if (slot.id == kNone) return kNone;
      if (slot.hash == hash && strings_[slot.id] == s) return slot.id;
    }
  }

  // A lookup misses the cache twice: for the slot, then for the bytes. A caller
  // that knows the next hashes prefetches the slot first, and then, once the
  // slot is in the cache, the string.
  void PrefetchSlot(uint32_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & mask_]);
  }
  void PrefetchString(uint32_t hash) const {
    if (slots_.empty()) return;
    const Slot slot = slots_[hash & mask_];
    if (slot.id == kNone || slot.hash != hash) return;
    __builtin_prefetch(strings_[slot.id].data());
  }
  // Reserves memory for this many strings in total.
  void Reserve(size_t size);

  std::string_view Get(StringId id) const { return strings_[id]; }
  size_t size() const { return strings_.size(); }

  static uint32_t Hash(std::string_view s);

  // Returns the memory in use, in bytes.
  size_t bytes() const;

  // Frees reserved memory if a large part of it is unused.
  void Trim();

 private:
  // The hash next to the id avoids reading the strings while probing.
  struct Slot {
    uint32_t hash;
    StringId id;
  };

  void Rehash(size_t slots);
  std::string_view Store(std::string_view s);

  std::vector<std::string_view> strings_;  // by id
  std::vector<Slot> slots_;                // power of two, at most 7/8 full
  size_t mask_ = 0;
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t chunk_free_ = 0;
  char* chunk_at_ = nullptr;
  size_t chunk_bytes_ = 0;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_STRING_POOL_H_
