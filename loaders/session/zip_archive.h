// ZipArchive: the files in a zip archive, each unpacked on demand.
//
// An archive has its files one after the other, each with a header, and a
// directory at its end. A truncated archive has no directory; then the headers
// are read from the beginning, as far as possible. Stored and deflated files
// are supported; encrypted files, other methods and archives of 4 GiB or more
// (zip64) are not.
//
// The sizes in the archive never decide how much memory is used. Files are
// unpacked in pieces into files without names, see gunzip.h. Together they may
// have kMaxRatio times the size of the archive, but at least kMinUnpacked.
// Names are not checked and may have any bytes.
//
// Shares the archive's bytes. Use one thread.

#ifndef TFPROF_LOADERS_SESSION_ZIP_ARCHIVE_H_
#define TFPROF_LOADERS_SESSION_ZIP_ARCHIVE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "loaders/core/input_file.h"
#include "util/run/cancellation.h"

namespace tfprof::session {

// Returns whether the bytes begin like an archive with at least one file.
bool IsZip(std::string_view bytes);

class ZipArchive {
 public:
  using Place = std::pair<size_t, size_t>;  // begin and end

  struct Member {
    std::string name;
    size_t header = 0;  // where its header begins
    int method = 0;
    size_t packed = 0;  // bytes in the archive; if unknown, the rest
    size_t size = 0;    // unpacked
    uint32_t crc = 0;
    bool checked = true;  // `crc` and both sizes are known
  };

  explicit ZipArchive(std::shared_ptr<const loaders::InputFile> file,
                      const util::Cancellation* cancellation = nullptr);

  // In the order of the directory. If two names are equal, the first one wins.
  const std::vector<Member>& members() const { return members_; }
  // What is wrong with the directory, which may then not have been used; "":
  // nothing.
  const std::string& damage() const { return damage_; }

  // Where the packed bytes of a member are; nullopt: its header is damaged.
  std::optional<Place> PlaceOf(const Member& member) const;
  // The parts of the archive that are neither a member or its header nor the
  // directory, in their order.
  std::vector<Place> Gaps() const;
  // How many of the packed bytes of a member Read() could not unpack.
  size_t LostOf(const Member& member) const;

  // Returns the unpacked bytes, named "ARCHIVE/NAME". Their damage() describes
  // damage. Errors: DataLoss if nothing can be read, ResourceExhausted beyond
  // the limit, Unimplemented for unsupported files.
  absl::StatusOr<std::shared_ptr<const loaders::InputFile>> Read(
      const Member& member);

 private:
  bool ReadDirectory();
  void CheckNames();
  void WalkHeaders();
  // Returns the bytes after the header of a member.
  absl::StatusOr<std::string_view> PackedBytes(const Member& member) const;
  absl::StatusOr<std::shared_ptr<const loaders::InputFile>> Inflate(
      const Member& member, const std::string& path, std::string_view packed,
      size_t& taken);
  size_t left() const { return most_ - std::min(most_, unpacked_); }

  const std::shared_ptr<const loaders::InputFile> file_;
  const util::Cancellation* const cancellation_;
  const std::string_view bytes_;
  std::vector<Member> members_;
  std::string damage_;
  std::optional<size_t> directory_;  // where it begins
  // By the place of the header.
  absl::flat_hash_map<size_t, size_t> lost_;
  size_t most_ = 0;      // bytes that may be unpacked
  size_t unpacked_ = 0;  // so far
};

}  // namespace tfprof::session

#endif  // TFPROF_LOADERS_SESSION_ZIP_ARCHIVE_H_
