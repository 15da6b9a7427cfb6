#include "util/files/zip_writer.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tfprof::util {
namespace {

constexpr uint64_t kMaxBytes = std::numeric_limits<uint32_t>::max() - 1;
constexpr size_t kMaxNumber = std::numeric_limits<uint16_t>::max();
constexpr uint16_t kVersion = 20;  // 2.0: deflate
// Sizes follow the data; names are UTF-8.
constexpr uint16_t kFlags = 1 << 3 | 1 << 11;
constexpr uint16_t kDeflated = 8;
constexpr uint32_t kFirstDay = 1 << 21 | 1 << 16;  // 1980-01-01, 0:00

// Writes little-endian numbers.
class Record {
 public:
  Record& Add(uint64_t number, int size) {
    for (int i = 0; i < size; ++i) {
      bytes_ += static_cast<char>(number >> 8 * i & 0xff);
    }
    return *this;
  }
  Record& Add(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace

void ZipWriter::Write(std::string_view bytes) {
  sink_.Write(bytes);
  written_ += bytes.size();
}

// Returns the compressed size.
uint64_t ZipWriter::Deflate(std::string_view bytes) {
  constexpr size_t kPart = 1 << 30;
  constexpr size_t kBuffer = 1 << 16;
  constexpr int kBareWindow = -15, kMemory = 8;
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kBareWindow,
                   kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    status_.Update(absl::ResourceExhaustedError("zlib: no memory"));
    return 0;
  }
  const uint64_t before = written_;
  std::string out(kBuffer, '\0');
  int result = Z_OK;
  do {
    if (stream.avail_in == 0) {
      // avail_in is a 32-bit number.
      const std::string_view part = bytes.substr(0, kPart);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
      stream.avail_in = static_cast<uInt>(part.size());
      bytes.remove_prefix(part.size());
    }
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = kBuffer;
    result = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    Write(std::string_view(out).substr(0, kBuffer - stream.avail_out));
    if (!sink_.wanted()) status_.Update(absl::CancelledError("cancelled"));
  } while (result == Z_OK && status_.ok());
  deflateEnd(&stream);
  return written_ - before;
}

void ZipWriter::Add(std::string_view name, std::string_view bytes) {
  if (!status_.ok()) return;
  if (entries_.size() == kMaxNumber || bytes.size() > kMaxBytes ||
      written_ > kMaxBytes) {
    status_ = absl::ResourceExhaustedError(
        "a zip archive has at most 65,535 files and less than 4 GiB");
    return;
  }
  Entry& entry = entries_.emplace_back();
  entry.name = name.substr(0, kMaxNumber);
  entry.size = bytes.size();
  entry.offset = written_;
  uLong crc = crc32(0, nullptr, 0);
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::string_view part = rest.substr(0, size_t{1} << 30);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(part.data()),
                static_cast<uInt>(part.size()));
    rest.remove_prefix(part.size());
  }
  entry.crc = static_cast<uint32_t>(crc);
  Write(Record()
            .Add("PK\3\4")
            .Add(kVersion, 2)
            .Add(kFlags, 2)
            .Add(kDeflated, 2)
            .Add(kFirstDay, 4)
            .Add(0, 4)  // checksum and sizes follow
            .Add(0, 4)
            .Add(0, 4)
            .Add(entry.name.size(), 2)
            .Add(0, 2)
            .Add(entry.name)
            .bytes());
  entry.packed = Deflate(bytes);
  Write(Record()
            .Add("PK\7\x8")
            .Add(entry.crc, 4)
            .Add(entry.packed, 4)
            .Add(entry.size, 4)
            .bytes());
}

absl::Status ZipWriter::Finish() {
  const uint64_t directory = written_;
  for (const Entry& entry : entries_) {
    if (!status_.ok()) return status_;
    Write(Record()
              .Add("PK\1\2")
              .Add(kVersion, 2)
              .Add(kVersion, 2)
              .Add(kFlags, 2)
              .Add(kDeflated, 2)
              .Add(kFirstDay, 4)
              .Add(entry.crc, 4)
              .Add(entry.packed, 4)
              .Add(entry.size, 4)
              .Add(entry.name.size(), 2)
              .Add(0, 2)  // no more fields, no comment, first disk
              .Add(0, 2)
              .Add(0, 2)
              .Add(0, 2)  // attributes
              .Add(0, 4)
              .Add(entry.offset, 4)
              .Add(entry.name)
              .bytes());
  }
  if (status_.ok() && written_ > kMaxBytes) {
    status_ = absl::ResourceExhaustedError(
        "a zip archive has less than 4 GiB; copy the folder instead");
  }
  if (!status_.ok()) return status_;
  const uint64_t size = written_ - directory;
  Write(Record()
            .Add("PK\5\6")
            .Add(0, 4)  // disks
            .Add(entries_.size(), 2)
            .Add(entries_.size(), 2)
            .Add(size, 4)
            .Add(directory, 4)
            .Add(0, 2)
            .bytes());
  return absl::OkStatus();
}

}  // namespace tfprof::util
