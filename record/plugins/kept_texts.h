// Memory for texts and small objects that is kept until the process ends. It
// comes from mapped pages, not from the heap. There are no locks; what does not
// fit is not kept.

#ifndef TFPROF_RECORD_PLUGINS_KEPT_TEXTS_H_
#define TFPROF_RECORD_PLUGINS_KEPT_TEXTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tfprof::record {

// Zeroed bytes, aligned to 8; null if the memory is used up.
void* KeepBytes(size_t size);

// A copy of the text with a terminating 0, the same copy for equal texts; "" if
// the memory is used up.
std::string_view KeepText(std::string_view text);

// A map from addresses to addresses with a fixed capacity. Threads may use it
// at the same time if they use different keys.
class AddressMap {
 public:
  // Returns null if the key is not there.
  void* Find(const void* key) const;
  // Returns false if there is no room. Entries of other keys never change.
  bool Insert(const void* key, void* value);
  void Erase(const void* key);

 private:
  struct Slot;
  Slot* Slots();

  std::atomic<Slot*> slots_ = nullptr;
};

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_PLUGINS_KEPT_TEXTS_H_
