// PrefixHashes: StringPool::Hash of every prefix of a string.
//
//   PrefixHashes hashes;
//   hashes.Assign("a/b/c");
//   hashes.Of(3);              // StringPool::Hash("a/b")
//
// Hashing each scope of a name separately would read the name once for each of
// its parts, and a name may have a million parts. This class reads it once. It
// needs half a byte of memory for each byte of the string, which must outlive
// the object. The functions are in string_pool.cc, which has the hash.

#ifndef TFPROF_PROFILE_PREFIX_HASHES_H_
#define TFPROF_PROFILE_PREFIX_HASHES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tfprof::profile {

class PrefixHashes {
 public:
  void Assign(std::string_view text);

  // Returns the hash of the first `size` bytes, in constant time.
  uint32_t Of(size_t size) const;

 private:
  std::string_view text_;
  std::vector<uint64_t> states_;  // hash states before each block of 16 bytes
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_PREFIX_HASHES_H_
