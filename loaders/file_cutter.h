// FileCutter: a protobuf file as pieces of whole fields, for cores to parse.
//
// Each piece is cut when it is asked for: whoever parses it then has its
// headers in the cache, and a pass over the fields of the file, which takes
// 0.12 s for a graph of 0.9 GB, is not before all else. Damage ends the last
// piece; the reader says what it was.

#ifndef TFPROF_LOADERS_FILE_CUTTER_H_
#define TFPROF_LOADERS_FILE_CUTTER_H_

#include <cstddef>
#include <mutex>
#include <string_view>
#include <vector>

#include "util/progress.h"
#include "util/stop.h"
#include "util/wire.h"

namespace tfprof {

struct FilePiece {
  std::string_view bytes;
  size_t offset = 0;  // in the file
};

class FileCutter {
 public:
  // Pieces are as long as `piece_bytes`, and up to the end of a field.
  FileCutter(std::string_view bytes, size_t piece_bytes, Progress& progress)
      : bytes_(bytes),
        piece_bytes_(piece_bytes),
        progress_(progress),
        reader_(bytes) {}

  // At least as many as there are; those behind the last are empty.
  size_t max_pieces() const { return bytes_.size() / piece_bytes_ + 1; }

  // From any thread.
  FilePiece Get(size_t i) {
    const std::lock_guard<std::mutex> lock(mutex_);
    while (pieces_.size() <= i) {
      const size_t begin = reader_.good_bytes();
      // After a stop the rest is empty pieces: nobody wants what is made.
      while (!StopRequested() && reader_.Next() &&
             reader_.good_bytes() - begin < piece_bytes_) {
      }
      pieces_.push_back(
          {bytes_.substr(begin, reader_.good_bytes() - begin), begin});
      progress_.done += static_cast<int64_t>(pieces_.back().bytes.size());
    }
    return pieces_[i];
  }

  // The walk over the fields of the file, after the last piece.
  const WireReader& reader() const { return reader_; }

 private:
  const std::string_view bytes_;
  const size_t piece_bytes_;
  Progress& progress_;
  std::mutex mutex_;
  WireReader reader_;
  std::vector<FilePiece> pieces_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_FILE_CUTTER_H_
