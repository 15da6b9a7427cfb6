// ByAddress: values for texts, by where the texts are in memory.
//
//   ByAddress<bool> known;
//   const auto [value, is_new] = known.At(name);
//   if (is_new) *value = Looks(name);
//
// The names of a profile stay where they are, and millions of runs share a few
// of them. Their address and size are found faster than their bytes. Texts that
// are equal may be at several addresses: a sum over texts must merge them. The
// texts must outlive the object. A pointer to a value is valid until the next
// call.

#ifndef TFPROF_UTIL_TEXT_BY_ADDRESS_H_
#define TFPROF_UTIL_TEXT_BY_ADDRESS_H_

#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace tfprof::util {

template <typename Value>
class ByAddress {
 public:
  // Returns the value of a text, and whether this call has made it.
  std::pair<Value*, bool> At(std::string_view text) {
    const auto [at, is_new] =
        values_.try_emplace(std::pair(text.data(), text.size()));
    return {&at->second, is_new};
  }

  // Calls call(text, value) for each text, in no order.
  template <typename Call>
  void ForEach(Call call) const {
    for (const auto& [key, value] : values_) {
      call(std::string_view(key.first, key.second), value);
    }
  }

 private:
  absl::flat_hash_map<std::pair<const char*, size_t>, Value> values_;
};

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_BY_ADDRESS_H_
