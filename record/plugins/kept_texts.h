// Memory that is kept until the process ends, for texts and what points to
// them. From mapped pages, not from the heap. No locks: what finds no room is
// not kept.

#ifndef TFPROF_RECORD_PLUGINS_KEPT_TEXTS_H_
#define TFPROF_RECORD_PLUGINS_KEPT_TEXTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tfprof::record {

// Zeroed, aligned to 8 bytes; null if there is no more.
void* KeepBytes(size_t size);

// The copy of a text, the same for equal texts, with a 0 behind it; "" if there
// is no more room.
std::string_view KeepText(std::string_view text);

// A map from addresses to addresses, which grows no further than its pages.
// Two threads may work on it at once, on different keys.
class AddressMap {
 public:
  // Null: there is none.
  void* Find(const void* key) const;
  // False: no room. What Find() then returns for other keys stays.
  bool Insert(const void* key, void* value);
  void Erase(const void* key);

 private:
  struct Slot;
  Slot* Slots();

  std::atomic<Slot*> slots_ = nullptr;
};

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_PLUGINS_KEPT_TEXTS_H_
