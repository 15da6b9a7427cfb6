// ZipArchive: the files in a zip archive, each unpacked when it is asked for.
//
// An archive has its files one after the other, each with a header, and a
// directory at its end. One that was cut off has no directory: then the headers
// are walked from the beginning, as far as they go. Stored and deflated files
// are read; encrypted ones, other methods and archives of 4 GiB or more
// (zip64) are not.
//
// Nothing that the archive says decides how much memory is taken: files are
// unpacked in pieces into files without names, see gunzip.h, and all of them
// together may have kMaxRatio times the size of the archive, and kMinUnpacked
// in any case. Names are those of the archive, with any bytes.
//
// Shares the archive's bytes. For one thread.

#ifndef TFPROF_LOADERS_SESSION_ZIP_ARCHIVE_H_
#define TFPROF_LOADERS_SESSION_ZIP_ARCHIVE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/input_file.h"
#include "util/cancellation.h"

namespace tfprof {

// Whether the bytes begin as an archive with at least one file does.
bool IsZip(std::string_view bytes);

class ZipArchive {
 public:
  struct Member {
    std::string name;
    size_t header = 0;  // where its header begins
    int method = 0;
    size_t packed = 0;  // bytes in the archive; those left if not known
    uint32_t crc = 0;
    bool checked = true;  // `crc` and `packed` are known
  };

  explicit ZipArchive(std::shared_ptr<const InputFile> file,
                      const Cancellation* cancellation = nullptr);

  // In the order of the directory. Of equal names, the first one counts.
  const std::vector<Member>& members() const { return members_; }
  // Why the directory was not used, or not all of it; "": it was.
  const std::string& damage() const { return damage_; }

  // The unpacked bytes, named "ARCHIVE/NAME". What is wrong with them is their
  // damage(). Errors: DataLoss when nothing of it can be read,
  // ResourceExhausted beyond the limit, Unimplemented for what is not read.
  absl::StatusOr<std::shared_ptr<const InputFile>> Read(const Member& member);

 private:
  bool ReadDirectory();
  void WalkHeaders();
  // The bytes behind the header of a member.
  absl::StatusOr<std::string_view> PackedBytes(const Member& member) const;
  absl::StatusOr<std::shared_ptr<const InputFile>> Inflate(
      const Member& member, const std::string& path, std::string_view packed,
      size_t& taken);
  size_t left() const { return most_ - std::min(most_, unpacked_); }

  const std::shared_ptr<const InputFile> file_;
  const Cancellation* const cancellation_;
  const std::string_view bytes_;
  std::vector<Member> members_;
  std::string damage_;
  size_t most_ = 0;      // bytes that may be unpacked
  size_t unpacked_ = 0;  // so far
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_SESSION_ZIP_ARCHIVE_H_
