// PrefixHashes: StringPool::Hash of every prefix of a string.
//
//   PrefixHashes hashes;
//   hashes.Assign("a/b/c");
//   hashes.Of(3);              // StringPool::Hash("a/b")
//
// Hashing all scopes of a name one by one reads the name once for each of its
// parts, and a name may have a million of them. This reads it once. Memory is
// half a byte for each byte of the string, which must outlive the use. The
// functions are in string_pool.cc, which has the hash.

#ifndef TFPROF_PROFILE_PREFIX_HASHES_H_
#define TFPROF_PROFILE_PREFIX_HASHES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tfprof {

class PrefixHashes {
 public:
  void Assign(std::string_view text);

  // Of the first `size` bytes; in constant time.
  uint32_t Of(size_t size) const;

 private:
  std::string_view text_;
  std::vector<uint64_t> states_;  // of the hash before each 16 bytes
};

}  // namespace tfprof

#endif  // TFPROF_PROFILE_PREFIX_HASHES_H_
