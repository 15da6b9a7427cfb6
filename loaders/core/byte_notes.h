// ByteNotes: what a loader says of the bytes of a file, for its account.
//
// A loader that is asked for an account notes the parts of the file that it
// does not simply read, in any order. Where notes overlap, the gravest holds:
// of a record that is lost, the members of no use are lost, too.

#ifndef TFPROF_LOADERS_CORE_BYTE_NOTES_H_
#define TFPROF_LOADERS_CORE_BYTE_NOTES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "loaders/core/byte_account.h"

namespace tfprof::loaders {

class ByteNotes {
 public:
  // The gravest is last.
  enum Part : uint8_t { kUnused, kWhiteSpace, kFree, kRepaired, kDamaged };

  void Note(Part part, size_t begin, size_t end) {
    if (begin >= end) return;
    const bool goes_on = !notes_.empty() && notes_.back().part == part &&
                         notes_.back().end == begin;
    if (goes_on) {
      notes_.back().end = end;
    } else {
      notes_.push_back({begin, end, part});
    }
  }
  // The same for a view into `bytes`.
  void Note(Part part, std::string_view bytes, std::string_view view) {
    const auto begin = static_cast<size_t>(view.data() - bytes.data());
    Note(part, begin, begin + view.size());
  }

  // Bytes without a note are read. `count_spaces` tells how many bytes of a
  // piece that is read, or of no use, are spaces; nullptr: none.
  ByteAccount Account(std::string_view bytes,
                      int64_t (*count_spaces)(std::string_view) = nullptr);

 private:
  struct Stretch {
    size_t begin, end;
    Part part;
  };
  std::vector<Stretch> notes_;
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_BYTE_NOTES_H_
