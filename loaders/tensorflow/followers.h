// Followers: guesses the next number of a sequence that repeats parts of
// itself.
//
//   Followers followers;
//   const uint32_t guess = followers.Guess();   // kNone: no guess
//   …                                           // find out what comes next
//   followers.Add(number);
//
// A guess is the number that came after the last number when that number was
// added before. The caller compares a string with the string of the guess,
// which is faster than to hash and to look up the string. Nine of ten inputs of
// the operations of a model are guessed: each of its layers waits for the same
// long list of operations.
//
// Numbers must be dense: memory is four bytes for each number up to the largest
// one. Use one thread.

#ifndef TFPROF_LOADERS_TENSORFLOW_FOLLOWERS_H_
#define TFPROF_LOADERS_TENSORFLOW_FOLLOWERS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/tables/string_pool.h"

namespace tfprof::tensorflow {

class Followers {
 public:
  uint32_t Guess() const {
    return last_ < follower_.size() ? follower_[last_] : profile::kNone;
  }

  void Add(uint32_t number) {
    if (last_ < follower_.size()) follower_[last_] = number;
    if (number >= follower_.size()) {
      follower_.resize(
          std::max<size_t>(number + size_t{1}, 2 * follower_.size()),
          profile::kNone);
    }
    last_ = number;
  }

 private:
  std::vector<uint32_t> follower_;  // by number
  uint32_t last_ = profile::kNone;
};

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_FOLLOWERS_H_
