// ZipWriter: writes a zip archive file by file.
//
//   ZipWriter zip(sink);
//   zip.Add("manifest.json", bytes);
//   absl::Status status = zip.Finish();
//
// Files are deflated and followed by their sizes. All have the earliest time of
// the format, so equal files in equal order give equal bytes. The writer keeps
// only a buffer and the names in memory.
//
// Errors are kept until Finish(): ResourceExhausted for more than 65,535 files,
// or for 4 GiB or more, which would need zip64; Cancelled if the output is no
// longer wanted. The archive is valid only if Finish() returns OK.

#ifndef TFPROF_UTIL_FILES_ZIP_WRITER_H_
#define TFPROF_UTIL_FILES_ZIP_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "util/files/sink.h"

namespace tfprof::util {

class ZipWriter {
 public:
  explicit ZipWriter(Sink& sink) : sink_(sink) {}
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  // `name` has '/' between folders and at most 65,535 bytes.
  void Add(std::string_view name, std::string_view bytes);
  // Writes the central directory. Nothing may be added afterwards.
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

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_FILES_ZIP_WRITER_H_
