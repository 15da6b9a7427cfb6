#include "record/plugins/kept_texts.h"

#include <atomic>
#include <cstring>

#include "record/system.h"

namespace tfprof::record {
namespace {

// Pages are taken from the system when they are first written.
constexpr size_t kArenaBytes = size_t{64} << 20;
constexpr int kSlotBits = 16;
constexpr size_t kNumSlots = size_t{1} << kSlotBits;
// A longer search would cost more than it saves.
constexpr size_t kMaxProbes = 64;

uint64_t Mix(uint64_t value) {
  value *= 0x9e3779b97f4a7c15u;
  return value ^ value >> 32;
}

uint64_t HashOf(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  }
  return Mix(hash);
}

// Allocates the pages behind `pages` once, on the first call of any thread.
template <typename T>
T* PagesOf(std::atomic<T*>& pages, size_t size) {
  T* found = pages.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  T* const made = static_cast<T*>(AllocatePages(size));
  if (made == nullptr) return nullptr;
  if (pages.compare_exchange_strong(found, made, std::memory_order_acq_rel)) {
    return made;
  }
  Unmap(made, size);
  return found;
}

constinit std::atomic<char*> arena = nullptr;
constinit std::atomic<size_t> arena_used = 0;

struct KeptText {
  uint64_t hash;
  size_t size;
  char bytes[];

  std::string_view view() const { return {bytes, size}; }
};
struct TextSlot {
  std::atomic<KeptText*> text;
};
constinit std::atomic<TextSlot*> texts = nullptr;

}  // namespace

void* KeepBytes(size_t size) {
  char* const bytes = PagesOf(arena, kArenaBytes);
  if (bytes == nullptr) return nullptr;
  size = (size + 7) & ~size_t{7};
  if (size > kArenaBytes ||
      arena_used.load(std::memory_order_relaxed) > kArenaBytes - size) {
    return nullptr;
  }
  const size_t at = arena_used.fetch_add(size, std::memory_order_relaxed);
  return at > kArenaBytes - size ? nullptr : bytes + at;
}

std::string_view KeepText(std::string_view text) {
  TextSlot* const slots = PagesOf(texts, kNumSlots * sizeof(TextSlot));
  if (slots == nullptr) return {};
  const uint64_t hash = HashOf(text);
  KeptText* made = nullptr;
  for (size_t probe = 0; probe < kMaxProbes; ++probe) {
    std::atomic<KeptText*>& slot = slots[(hash + probe) & (kNumSlots - 1)].text;
    KeptText* found = slot.load(std::memory_order_acquire);
    if (found == nullptr) {
      if (made == nullptr) {
        made = static_cast<KeptText*>(
            KeepBytes(sizeof(KeptText) + text.size() + 1));
        if (made == nullptr) return {};
        made->hash = hash;
        made->size = text.size();
        memcpy(made->bytes, text.data(), text.size());
      }
      if (slot.compare_exchange_strong(found, made,
                                       std::memory_order_acq_rel)) {
        return made->view();
      }
    }
    if (found->hash == hash && found->view() == text) return found->view();
  }
  return {};
}

struct AddressMap::Slot {
  std::atomic<const void*> key;
  std::atomic<void*> value;
};

namespace {

// The key of an erased slot. Searches continue past it.
const void* Erased() { return reinterpret_cast<const void*>(1); }

size_t PlaceOf(const void* key, size_t probe) {
  return (Mix(reinterpret_cast<uintptr_t>(key)) + probe) & (kNumSlots - 1);
}

}  // namespace

AddressMap::Slot* AddressMap::Slots() {
  return PagesOf(slots_, kNumSlots * sizeof(Slot));
}

void* AddressMap::Find(const void* key) const {
  const Slot* const slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) return nullptr;
  for (size_t probe = 0; probe < kMaxProbes; ++probe) {
    const Slot& slot = slots[PlaceOf(key, probe)];
    const void* const found = slot.key.load(std::memory_order_acquire);
    if (found == key) return slot.value.load(std::memory_order_acquire);
    if (found == nullptr) return nullptr;
  }
  return nullptr;
}

bool AddressMap::Insert(const void* key, void* value) {
  Slot* const slots = Slots();
  if (slots == nullptr) return false;
  for (size_t probe = 0; probe < kMaxProbes; ++probe) {
    Slot& slot = slots[PlaceOf(key, probe)];
    const void* found = slot.key.load(std::memory_order_acquire);
    if (found == key) return false;  // another thread is inserting it
    if (found != nullptr && found != Erased()) continue;
    if (slot.key.compare_exchange_strong(found, key,
                                         std::memory_order_acq_rel)) {
      slot.value.store(value, std::memory_order_release);
      return true;
    }
  }
  return false;
}

void AddressMap::Erase(const void* key) {
  Slot* const slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) return;
  for (size_t probe = 0; probe < kMaxProbes; ++probe) {
    Slot& slot = slots[PlaceOf(key, probe)];
    const void* const found = slot.key.load(std::memory_order_acquire);
    if (found == nullptr) return;
    if (found != key) continue;
    // Two threads that inserted the key at the same time may have used two
    // slots, so the search continues.
    slot.value.store(nullptr, std::memory_order_relaxed);
    slot.key.store(Erased(), std::memory_order_release);
  }
}

}  // namespace tfprof::record
