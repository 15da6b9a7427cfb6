// ByteAccount: what became of each byte of a file.
//
// Every byte is in one class, so the classes add up to the bytes that the
// loader had: those of the file, or what a packed file unpacks to. `status`
// shows the account. It is made by another walk over the file, with the tables
// and scanners of the loader, or by the loader with ByteNotes. So a load does
// not pay for it.

#ifndef TFPROF_LOADERS_CORE_BYTE_ACCOUNT_H_
#define TFPROF_LOADERS_CORE_BYTE_ACCOUNT_H_

#include <cstdint>
#include <optional>

namespace tfprof::loaders {

struct ByteAccount {
  int64_t read = 0;    // used by a report, or by a command when it needs it
  int64_t unused = 0;  // fields, keys and records of no use
  int64_t white_space = 0;  // between the parts of a text
  int64_t free = 0;         // room that the format leaves empty
  int64_t repaired = 0;     // read, though it is not as the format says
  int64_t damaged = 0;      // not read, because it could not be

  // What rules skip.
  int64_t skipped() const { return unused + white_space + free; }
  int64_t total() const { return read + skipped() + repaired + damaged; }

  ByteAccount& operator+=(const ByteAccount& other) {
    read += other.read;
    unused += other.unused;
    white_space += other.white_space;
    free += other.free;
    repaired += other.repaired;
    damaged += other.damaged;
    return *this;
  }
  friend bool operator==(const ByteAccount&, const ByteAccount&) = default;
};

// The account of an input.
struct SourceAccount {
  // Of the file, or of all files of the input, unpacked; account.total() if it
  // is right.
  int64_t bytes = 0;
  std::optional<int64_t> packed_bytes = {};  // of a file that is packed
  ByteAccount account = {};
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_BYTE_ACCOUNT_H_
