#include "loaders/core/gunzip.h"

#include <errno.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

#include "fmt/format.h"
#include "util/files/errno_status.h"
#include "util/files/new_file.h"

namespace tfprof::loaders {
namespace {

bool WriteAll(int fd, const unsigned char* data, size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

// The container of the compressed bytes, as zlib's window bits.
constexpr int kGzipWindow = 15 + 16;
constexpr int kBareWindow = -15;

class Inflater {
 public:
  explicit Inflater(int window) : bare_(window < 0) {
    ok_ = inflateInit2(&stream_, window) == Z_OK;
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Writes the uncompressed `bytes` to `fd`, at most `most` of them.
  absl::Status Run(std::string_view bytes, const std::string& path, size_t most,
                   const ReadProgress& progress,
                   const util::Cancellation* cancellation, int fd) {
    if (!ok_) return absl::ResourceExhaustedError(path + ": zlib");
    constexpr size_t kBuffer = 1 << 18;
    // avail_in has 32 bits, so larger files are fed in parts.
    constexpr size_t kPart = 1 << 30;
    std::vector<unsigned char> out(kBuffer);
    size_t fed = 0, written = 0;
    for (;;) {
      if (util::IsCancelled(cancellation))
        return absl::CancelledError("cancelled");
      if (stream_.avail_in == 0 && fed < bytes.size()) {
        const size_t part = std::min(kPart, bytes.size() - fed);
        stream_.next_in =
            reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + fed));
        stream_.avail_in = static_cast<uInt>(part);
        fed += part;
      }
      stream_.next_out = out.data();
      stream_.avail_out = kBuffer;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      const size_t size = kBuffer - stream_.avail_out;
      if (!WriteAll(fd, out.data(), size)) {
        return util::ErrnoStatus(errno, path + " (uncompressed, in $TMPDIR)");
      }
      const size_t at = fed - stream_.avail_in;
      written += size;
      if (written > most) {
        return absl::ResourceExhaustedError(fmt::format(
            "{}: {} bytes unpack to more than {} MiB, the most that tfprof "
            "unpacks of a file of this size; if that is right, unpack it "
            "yourself ({}) and load the result",
            path, bytes.size(), most >> 20, bare_ ? "unzip" : "gunzip"));
      }
      if (progress && at > 0) {
        // The estimate assumes that the rest compresses as well as the part so
        // far.
        progress(static_cast<int64_t>(written),
                 static_cast<int64_t>(static_cast<double>(written) *
                                      static_cast<double>(bytes.size()) /
                                      static_cast<double>(at)));
      }
      if (result == Z_STREAM_END) {
        taken_ = at;
        if (bare_ || at == bytes.size()) return absl::OkStatus();
        if (!IsGzip(bytes.substr(at))) {
          return absl::DataLossError(fmt::format(
              "{}: byte {}: {} bytes behind the end of the gzip stream", path,
              at, bytes.size() - at));
        }
        inflateReset(&stream_);
      } else if (result != Z_OK) {
        return absl::DataLossError(fmt::format(
            "{}: byte {}: the {} stream is {}; compress the file again", path,
            at, bare_ ? "deflate" : "gzip",
            result == Z_BUF_ERROR    ? "cut off"
            : stream_.msg != nullptr ? stream_.msg
                                     : "damaged"));
      }
    }
  }

  // The number of compressed bytes up to the end of the stream. 0: no end was
  // found.
  size_t taken() const { return taken_; }

 private:
  const bool bare_;
  z_stream stream_ = {};
  bool ok_ = false;
  size_t taken_ = 0;
};

// Unpacks into a new file without a name; see Gunzip().
absl::StatusOr<int> Unpack(Inflater& inflater, std::string_view bytes,
                           const std::string& path, size_t most,
                           const ReadProgress& progress,
                           const util::Cancellation* cancellation,
                           std::string& damage) {
  const int fd = util::MakeTemporaryFile();
  if (fd < 0)
    return util::ErrnoStatus(errno, path + " (uncompressed, in $TMPDIR)");
  absl::Status status =
      inflater.Run(bytes, path, most, progress, cancellation, fd);
  const off_t size = lseek(fd, 0, SEEK_CUR);
  if (absl::IsDataLoss(status) && size > 0) {
    damage = fmt::format("{}; kept the first {} uncompressed bytes",
                         std::string(status.message()), size);
    status = absl::OkStatus();
  }
  if (!status.ok()) {
    close(fd);
    return status;
  }
  return fd;
}

}  // namespace

bool IsGzip(std::string_view bytes) {
  return bytes.substr(0, 2) == std::string_view("\x1f\x8b", 2);
}

absl::StatusOr<int> Gunzip(std::string_view bytes, const std::string& path,
                           const ReadProgress& progress,
                           const util::Cancellation* cancellation,
                           std::string& damage) {
  Inflater inflater(kGzipWindow);
  return Unpack(inflater, bytes, path,
                std::max(kMinUnpacked, kMaxRatio * bytes.size()), progress,
                cancellation, damage);
}

absl::StatusOr<int> InflateBare(std::string_view bytes, const std::string& path,
                                size_t most,
                                const util::Cancellation* cancellation,
                                std::string& damage, size_t& taken) {
  Inflater inflater(kBareWindow);
  absl::StatusOr<int> fd =
      Unpack(inflater, bytes, path, most, {}, cancellation, damage);
  taken = inflater.taken();
  return fd;
}

}  // namespace tfprof::loaders
