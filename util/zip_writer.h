// ZipWriter: files as a zip archive, written as they come.
//
//   ZipWriter zip(sink);
//   zip.Add("manifest.json", bytes);
//   absl::Status status = zip.Finish();
//
// Every file is deflated, its sizes follow it, and its time is the first one
// that an archive can name, so equal files in equal order are equal bytes. The
// memory taken is a buffer and the names.
//
// Errors are kept until Finish(): ResourceExhausted for more than 65,535 files,
// or for 4 GiB or more, which only newer archives (zip64) can have; Cancelled
// if the sink is not wanted any more. The archive is of use only if Finish() is
// OK.

#ifndef TFPROF_UTIL_ZIP_WRITER_H_
#define TFPROF_UTIL_ZIP_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "util/sink.h"

namespace tfprof {

class ZipWriter {
 public:
  explicit ZipWriter(Sink& sink) : sink_(sink) {}
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  // `name` has '/' between folders, and at most 65,535 bytes.
  void Add(std::string_view name, std::string_view bytes);
  // Writes the directory. Nothing may be added after it.
  absl::Status Finish();

 private:
  struct Entry {
    std::string name;
    uint32_t crc = 0;
    uint64_t packed = 0;
    uint64_t size = 0;
    uint64_t offset = 0;
  };

  void Write(std::string_view bytes);
  uint64_t Deflate(std::string_view bytes);

  Sink& sink_;
  std::vector<Entry> entries_;
  uint64_t written_ = 0;
  absl::Status status_;
};

}  // namespace tfprof

#endif  // TFPROF_UTIL_ZIP_WRITER_H_
