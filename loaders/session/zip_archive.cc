#include "loaders/session/zip_archive.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "fmt/format.h"
#include "loaders/core/gunzip.h"
#include "util/text/safe_text.h"

namespace tfprof::session {
namespace {

constexpr std::string_view kHeader("PK\3\4", 4);
constexpr std::string_view kEntry("PK\1\2", 4);
constexpr std::string_view kEnd("PK\5\6", 4);
constexpr std::string_view kDescriptor("PK\7\x8", 4);
constexpr size_t kHeaderSize = 30, kEntrySize = 46, kEndSize = 22;
constexpr size_t kMaxComment = 65535;
// A session has some thousand files, but the size of a directory only limits
// the number of its entries by bytes.
constexpr size_t kMaxMembers = 65535;
constexpr int kStored = 0, kDeflated = 8;
// Flags of files. The first are of files that are not plain: encrypted in some
// way, or a patch for another file.
constexpr uint32_t kNotPlain = 1 | 1 << 5 | 1 << 6 | 1 << 13, kSizesFollow = 8;
constexpr uint64_t kIsZip64 = std::numeric_limits<uint32_t>::max();

// Reads a number of `size` bytes; the caller has checked the bounds.
uint64_t NumberAt(std::string_view bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i) {
    number |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
  }
  return number;
}

uint32_t CrcOf(std::string_view bytes) {
  constexpr size_t kPart = 1 << 30;
  uLong crc = crc32(0, nullptr, 0);
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kPart);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(part.data()),
                static_cast<uInt>(part.size()));
    bytes.remove_prefix(part.size());
  }
  return static_cast<uint32_t>(crc);
}

// Returns how the bytes differ from what the archive says; "": in nothing.
std::string DamageOf(const ZipArchive::Member& member, std::string_view bytes,
                     const std::string& path) {
  if (bytes.size() != member.size) {
    return fmt::format(
        "{}: it has {} bytes and not {} as the archive says, so it is damaged; "
        "save it again",
        path, bytes.size(), member.size);
  }
  if (CrcOf(bytes) == member.crc) return "";
  return fmt::format(
      "{}: its checksum (CRC) is wrong, so it is damaged; save it again", path);
}

}  // namespace

bool IsZip(std::string_view bytes) {
  return bytes.size() >= kHeaderSize && bytes.starts_with(kHeader);
}

ZipArchive::ZipArchive(std::shared_ptr<const loaders::InputFile> file,
                       const util::Cancellation* cancellation)
    : file_(std::move(file)),
      cancellation_(cancellation),
      bytes_(file_->bytes()),
      most_(
          std::max(loaders::kMinUnpacked, loaders::kMaxRatio * bytes_.size())) {
  if (!ReadDirectory()) WalkHeaders();
  absl::flat_hash_set<std::string> names;
  std::erase_if(members_, [&](const Member& member) {
    return !names.insert(member.name).second;
  });
}

// Returns false if there is no directory, or it is damaged.
bool ZipArchive::ReadDirectory() {
  const auto fail = [&](size_t at, std::string_view what) {
    damage_ = fmt::format("byte {}: {}; its files are read as far as they go",
                          at, what);
    members_.clear();
    return false;
  };
  const size_t from =
      bytes_.size() - std::min(bytes_.size(), kEndSize + kMaxComment);
  const size_t in_tail = bytes_.substr(from).rfind(kEnd);
  const size_t end = from + in_tail;
  if (in_tail == bytes_.npos || bytes_.size() - end < kEndSize) {
    return fail(bytes_.size(), "the zip archive is cut off");
  }
  const uint64_t count = NumberAt(bytes_, end + 10, 2);
  const size_t begin = NumberAt(bytes_, end + 16, 4);
  size_t at = begin;
  if (at > end) {
    return fail(end, at == kIsZip64
                         ? "a zip archive of 4 GiB or more is not read"
                         : "the directory of the zip archive is missing");
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (end - at < kEntrySize || bytes_.substr(at, 4) != kEntry) {
      return fail(at, "the directory of the zip archive is damaged");
    }
    const size_t name_size = NumberAt(bytes_, at + 28, 2);
    const size_t size = kEntrySize + name_size + NumberAt(bytes_, at + 30, 2) +
                        NumberAt(bytes_, at + 32, 2);
    if (end - at < size) {
      return fail(at, "the directory of the zip archive is damaged");
    }
    members_.push_back(
        {.name = std::string(bytes_.substr(at + kEntrySize, name_size)),
         .header = NumberAt(bytes_, at + 42, 4),
         .method = (NumberAt(bytes_, at + 8, 2) & kNotPlain) != 0
                       ? -1
                       : static_cast<int>(NumberAt(bytes_, at + 10, 2)),
         .packed = NumberAt(bytes_, at + 20, 4),
         .size = NumberAt(bytes_, at + 24, 4),
         .crc = static_cast<uint32_t>(NumberAt(bytes_, at + 16, 4))});
    at += size;
  }
  if (at != end || NumberAt(bytes_, end + 12, 4) != end - begin) {
    damage_ = fmt::format(
        "byte {}: the directory of the zip archive has other sizes than its "
        "end says; files may be missing; save it again",
        end);
  }
  directory_ = begin;
  CheckNames();
  return true;
}

// The header of a file repeats its name. If it has another one, the file may
// have been found under a wrong name, or not at all.
void ZipArchive::CheckNames() {
  for (const Member& member : members_) {
    const size_t at = member.header;
    if (at <= bytes_.size() && bytes_.size() - at >= kHeaderSize &&
        bytes_.substr(at, 4) == kHeader &&
        bytes_.substr(at + kHeaderSize, NumberAt(bytes_, at + 26, 2)) ==
            member.name) {
      continue;
    }
    damage_ = fmt::format(
        "byte {}: expected the header of {}, as the directory of the zip "
        "archive says; save it again",
        at, util::SafeText(member.name));
    return;
  }
}

void ZipArchive::WalkHeaders() {
  size_t at = 0;
  while (members_.size() < kMaxMembers && bytes_.size() - at >= kHeaderSize &&
         bytes_.substr(at, 4) == kHeader) {
    const uint32_t flags = static_cast<uint32_t>(NumberAt(bytes_, at + 6, 2));
    const size_t name_size = NumberAt(bytes_, at + 26, 2);
    const size_t data = kHeaderSize + name_size + NumberAt(bytes_, at + 28, 2);
    if (bytes_.size() - at < data) return;
    Member member = {
        .name = std::string(bytes_.substr(at + kHeaderSize, name_size)),
        .header = at,
        .method = (flags & kNotPlain) != 0
                      ? -1
                      : static_cast<int>(NumberAt(bytes_, at + 8, 2)),
        .packed = NumberAt(bytes_, at + 18, 4),
        .size = NumberAt(bytes_, at + 22, 4),
        .crc = static_cast<uint32_t>(NumberAt(bytes_, at + 14, 4))};
    const size_t left = bytes_.size() - at - data;
    if ((flags & kSizesFollow) == 0) {
      members_.push_back(member);
      if (member.packed > left) return;
      at += data + member.packed;
      continue;
    }
    // Only the data shows its end.
    member.checked = false;
    member.packed = left;
    members_.push_back(member);
    if (member.method != kDeflated) return;
    std::string damage;
    size_t taken = 0;
    const auto fd =
        loaders::InflateBare(bytes_.substr(at + data), member.name,
                             this->left(), cancellation_, damage, taken);
    if (!fd.ok()) return;
    unpacked_ += static_cast<size_t>(lseek(*fd, 0, SEEK_CUR));
    close(*fd);
    if (taken == 0) return;
    members_.back().packed = taken;
    at += data + taken;
    if (bytes_.substr(at, 4) != kDescriptor) return;
    at += std::min<size_t>(16, bytes_.size() - at);
  }
}

absl::StatusOr<std::string_view> ZipArchive::PackedBytes(
    const Member& member) const {
  const auto damaged = [&](std::string_view what) {
    return absl::DataLossError(fmt::format("{}/{}: byte {}: {}", file_->path(),
                                           util::SafeText(member.name),
                                           member.header, what));
  };
  if (member.header > bytes_.size() ||
      bytes_.size() - member.header < kHeaderSize ||
      bytes_.substr(member.header, 4) != kHeader) {
    return damaged("expected the header of a file of the zip archive");
  }
  const size_t data = member.header + kHeaderSize +
                      NumberAt(bytes_, member.header + 26, 2) +
                      NumberAt(bytes_, member.header + 28, 2);
  if (data > bytes_.size()) return damaged("the header is cut off");
  return bytes_.substr(data, member.packed);
}

std::optional<ZipArchive::Place> ZipArchive::PlaceOf(
    const Member& member) const {
  const auto packed = PackedBytes(member);
  if (!packed.ok()) return std::nullopt;
  const size_t begin = file_->OffsetOf(*packed);
  return Place(begin, begin + packed->size());
}

std::vector<ZipArchive::Place> ZipArchive::Gaps() const {
  std::vector<Place> known;
  if (directory_) known.emplace_back(*directory_, bytes_.size());
  for (const Member& member : members_) {
    const auto place = PlaceOf(member);
    if (!place) continue;
    size_t end = place->second;
    // Sizes that are not in the header follow, with or without a signature.
    if ((NumberAt(bytes_, member.header + 6, 2) & kSizesFollow) != 0) {
      end += bytes_.substr(end, 4) == kDescriptor ? 16 : 12;
    }
    known.emplace_back(member.header, std::min(end, bytes_.size()));
  }
  known.emplace_back(bytes_.size(), bytes_.size());
  std::ranges::sort(known);
  std::vector<Place> gaps;
  size_t at = 0;
  for (const auto& [begin, end] : known) {
    if (at < begin) gaps.emplace_back(at, begin);
    at = std::max(at, end);
  }
  return gaps;
}

size_t ZipArchive::LostOf(const Member& member) const {
  const auto lost = lost_.find(member.header);
  return lost == lost_.end() ? 0 : lost->second;
}

absl::StatusOr<std::shared_ptr<const loaders::InputFile>> ZipArchive::Inflate(
    const Member& member, const std::string& path, std::string_view packed,
    size_t& taken) {
  std::string damage;
  const absl::StatusOr<int> fd =
      loaders::InflateBare(packed, path, left(), cancellation_, damage, taken);
  if (!fd.ok()) return fd.status();
  auto file = loaders::InputFile::FromDescriptor(path, *fd, damage);
  if (file.ok() && damage.empty() && member.checked) {
    damage = DamageOf(member, (*file)->bytes(), path);
    if (!damage.empty()) {
      file = loaders::InputFile::FromDescriptor(path, *fd, damage);
    }
  }
  close(*fd);
  return file;
}

absl::StatusOr<std::shared_ptr<const loaders::InputFile>> ZipArchive::Read(
    const Member& member) {
  const std::string path =
      fmt::format("{}/{}", file_->path(), util::SafeText(member.name));
  const auto packed = PackedBytes(member);
  if (!packed.ok()) return packed.status();
  if (member.method == kDeflated) {
    size_t taken = 0;
    auto file = Inflate(member, path, *packed, taken);
    if (file.ok()) unpacked_ += (*file)->bytes().size();
    if (taken < packed->size()) lost_[member.header] = packed->size() - taken;
    return file;
  }
  if (member.method != kStored || !member.checked) {
    return absl::UnimplementedError(fmt::format(
        "{}: it is {}; expected a file that is stored or deflated; unzip the "
        "archive and open the folder",
        path,
        member.method < 0 ? "encrypted or a patch"
        : member.method == 0
            ? "stored without a size"
            : fmt::format("packed by method {}", member.method)));
  }
  if (packed->size() > left()) {
    return absl::ResourceExhaustedError(
        fmt::format("{}: the files of the archive unpack to more than {} MiB",
                    path, most_ >> 20));
  }
  unpacked_ += packed->size();
  std::string damage;
  if (packed->size() < member.packed) {
    damage = fmt::format("{}: cut off: {} of its {} bytes are there", path,
                         packed->size(), member.packed);
  } else {
    damage = DamageOf(member, *packed, path);
  }
  return loaders::InputFile::FromBytes(path, std::string(*packed),
                                       std::move(damage));
}

}  // namespace tfprof::session
