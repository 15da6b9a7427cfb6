#include "loaders/session/session_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "loaders/core/byte_notes.h"
#include "loaders/session/zip_archive.h"
#include "util/files/errno_status.h"
#include "util/text/ascii.h"
#include "util/text/natural_order.h"
#include "util/text/safe_text.h"

namespace tfprof::session {
namespace {

constexpr size_t kMaxName = 255;

// The files and folders of a session.
constexpr std::string_view kTopFiles[] = {kManifestName, "server.json",
                                          "orders.json"};
constexpr std::string_view kFolders[] = {"clients", "graphs", "traces"};

void SortNames(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  std::stable_sort(names.begin(), names.end(), util::NaturalLess);
}

absl::Status NotPlain(const std::string& path) {
  return absl::InvalidArgumentError(
      fmt::format("{}: expected the plain name of a file of the session",
                  util::SafeText(path)));
}

// Opens a folder of the session, unless it is a link. Returns -1 and sets errno
// on failure.
int OpenFolder(const std::string& session, std::string_view folder) {
  const int top = open(session.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (top < 0 || folder.empty()) return top;
  const int inner = openat(top, std::string(folder).c_str(),
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const int error = errno;
  close(top);
  errno = error;
  return inner;
}

class FolderFiles : public SessionFiles {
 public:
  explicit FolderFiles(std::string path) : SessionFiles(std::move(path)) {}

  bool is_archive() const override { return false; }
  std::vector<std::string> List(std::string_view folder) override {
    std::vector<std::string> names;
    const int fd = OpenFolder(path(), folder);
    DIR* const dir = fd < 0 ? nullptr : fdopendir(fd);
    if (dir == nullptr) {
      if (fd >= 0) close(fd);
      return names;
    }
    while (const dirent* entry = readdir(dir)) {
      if (IsPlainName(entry->d_name)) names.emplace_back(entry->d_name);
    }
    closedir(dir);
    SortNames(names);
    return names;
  }

  absl::StatusOr<std::shared_ptr<const loaders::InputFile>> Open(
      std::string_view folder, std::string_view name) override {
    const std::string path = PathOf(folder, name);
    if (!IsPlainName(name)) return NotPlain(path);
    const int in = OpenFolder(this->path(), folder);
    if (in < 0) return util::ErrnoStatus(errno, path);
    const int fd = openat(in, std::string(name).c_str(),
                          O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    const int error = errno;
    close(in);
    if (fd < 0) return util::ErrnoStatus(error, path);
    struct stat info = {};
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
      close(fd);
      return absl::InvalidArgumentError(path + ": expected a regular file");
    }
    auto file = loaders::InputFile::FromDescriptor(path, fd);
    close(fd);
    return file;
  }

  // Other files of the folder are not of the session.
  loaders::SourceAccount Account(const FileFates& fates) override {
    loaders::SourceAccount sum;
    const auto add = [&](std::string_view folder, const std::string& name) {
      const auto file = Open(folder, name);
      if (!file.ok()) return;
      const auto size = static_cast<int64_t>((*file)->bytes().size());
      sum.bytes += size;
      const auto fate = fates.find(std::pair(std::string(folder), name));
      if (fate == fates.end()) {
        sum.account.unused += size;
      } else if (fate->second.is_lost) {
        sum.account.damaged += size;
      } else {
        sum.account += fate->second.account;
      }
    };
    for (const std::string_view name : kTopFiles) add("", std::string(name));
    for (const std::string_view folder : kFolders) {
      for (const std::string& name : List(folder)) add(folder, name);
    }
    return sum;
  }
};

class ArchivedFiles : public SessionFiles {
 public:
  ArchivedFiles(const std::shared_ptr<const loaders::InputFile>& file,
                loaders::ImportLog& log, const util::Cancellation* cancellation)
      : SessionFiles(file->path()), file_(file), archive_(file, cancellation) {
    if (!archive_.damage().empty()) {
      log.Add(loaders::ImportLog::kDamage, "damaged zip archive",
              fmt::format("{}: {}", path(), archive_.damage()));
    }
    const std::string_view top = FolderOfManifest();
    for (const ZipArchive::Member& member : archive_.members()) {
      std::string_view name = member.name;
      if (name.ends_with('/')) continue;  // a folder
      if (IsOutside(name)) {
        log.Add(loaders::ImportLog::kDamage, "name outside of the session",
                fmt::format("{}: skipped {}: the name leads out of the session",
                            path(), util::SafeText(name)));
        continue;
      }
      if (!name.starts_with(top)) continue;
      name.remove_prefix(top.size());
      const size_t slash = name.find('/');
      const bool in_folder = slash != name.npos;
      const std::string_view folder = in_folder ? name.substr(0, slash) : "";
      const std::string_view file_name =
          in_folder ? name.substr(slash + 1) : name;
      if (!IsPlainName(file_name)) continue;
      members_[std::string(folder)].emplace(file_name, &member);
      names_.emplace(&member, std::pair(folder, file_name));
    }
  }

  bool is_archive() const override { return true; }
  std::vector<std::string> List(std::string_view folder) override {
    std::vector<std::string> names;
    const auto it = members_.find(std::string(folder));
    if (it == members_.end()) return names;
    for (const auto& [name, member] : it->second) names.push_back(name);
    SortNames(names);
    return names;
  }

  absl::StatusOr<std::shared_ptr<const loaders::InputFile>> Open(
      std::string_view folder, std::string_view name) override {
    if (!IsPlainName(name)) return NotPlain(PathOf(folder, name));
    const auto in = members_.find(std::string(folder));
    if (in != members_.end()) {
      const auto it = in->second.find(std::string(name));
      if (it != in->second.end()) return archive_.Read(*it->second);
    }
    return absl::NotFoundError(PathOf(folder, name) +
                               ": the archive has no such file");
  }

  // Files that were read count with their unpacked bytes, others as they are in
  // the archive. Headers and the directory are read.
  loaders::SourceAccount Account(const FileFates& fates) override {
    loaders::ByteNotes notes;
    for (const auto& [begin, end] : archive_.Gaps()) {
      notes.Note(archive_.damage().empty() ? loaders::ByteNotes::kUnused
                                           : loaders::ByteNotes::kDamaged,
                 begin, end);
    }
    loaders::ByteAccount unpacked;
    for (const ZipArchive::Member& member : archive_.members()) {
      const auto place = archive_.PlaceOf(member);
      if (!place) continue;
      const auto fate = FateOf(member, fates);
      if (!fate) {
        notes.Note(loaders::ByteNotes::kUnused, place->first, place->second);
      } else if (fate->is_lost) {
        notes.Note(loaders::ByteNotes::kDamaged, place->first, place->second);
      } else {
        // Stands for the packed bytes, which do not count.
        notes.Note(loaders::ByteNotes::kFree, place->first, place->second);
        const size_t lost = archive_.LostOf(member);
        notes.Note(loaders::ByteNotes::kDamaged, place->second - lost,
                   place->second);
        unpacked += fate->account;
      }
    }
    loaders::SourceAccount sum;
    sum.account = notes.Account(file_->bytes());
    sum.account.free = 0;
    sum.account += unpacked;
    sum.bytes = sum.account.total();
    const auto size = static_cast<int64_t>(file_->bytes().size());
    if (sum.bytes != size) sum.packed_bytes = size;
    return sum;
  }

 private:
  // nullopt: nobody looked at the file.
  std::optional<FileFate> FateOf(const ZipArchive::Member& member,
                                 const FileFates& fates) const {
    const auto name = names_.find(&member);
    if (name == names_.end()) {
      // A name that leads out of the session is damage, see the constructor.
      if (!IsOutside(member.name)) return std::nullopt;
      return FileFate{.is_lost = true};
    }
    const auto fate = fates.find(name->second);
    return fate == fates.end() ? std::nullopt : std::optional(fate->second);
  }

  static bool IsOutside(std::string_view name) {
    if (name.starts_with('/') || name.find('\\') != name.npos) return true;
    while (!name.empty()) {
      const size_t end = std::min(name.find('/'), name.size());
      if (name.substr(0, end) == "..") return true;
      name.remove_prefix(std::min(end + 1, name.size()));
    }
    return false;
  }

  // Returns the prefix of the manifest: "", "session/". If there are several
  // manifests, the one at the highest level wins.
  std::string_view FolderOfManifest() const {
    std::string_view top;
    bool found = false;
    for (const ZipArchive::Member& member : archive_.members()) {
      const std::string_view name = member.name;
      if (!name.ends_with(kManifestName)) continue;
      const std::string_view before =
          name.substr(0, name.size() - kManifestName.size());
      if (!before.empty() && !before.ends_with('/')) continue;
      if (!found || before.size() < top.size()) top = before;
      found = true;
    }
    return top;
  }

  const std::shared_ptr<const loaders::InputFile> file_;
  ZipArchive archive_;
  std::map<const ZipArchive::Member*, std::pair<std::string, std::string>>
      names_;  // folder and name
  // Keyed by folder and name.
  std::map<std::string, std::map<std::string, const ZipArchive::Member*>>
      members_;
};

}  // namespace

bool IsPlainName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName && name[0] != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  util::IsDigit(c) || c == '.' || c == '_' || c == '-';
         });
}

std::unique_ptr<SessionFiles> SessionFiles::Of(
    const std::shared_ptr<const loaders::InputFile>& manifest,
    loaders::ImportLog& log, const util::Cancellation* cancellation) {
  if (IsZip(manifest->bytes())) {
    return std::make_unique<ArchivedFiles>(manifest, log, cancellation);
  }
  const std::string& path = manifest->path();
  const size_t slash = path.rfind('/');
  return std::make_unique<FolderFiles>(
      slash == path.npos ? "." : path.substr(0, std::max<size_t>(slash, 1)));
}

std::string SessionFiles::PathOf(std::string_view folder,
                                 std::string_view name) const {
  return folder.empty() ? fmt::format("{}/{}", path_, name)
                        : fmt::format("{}/{}/{}", path_, folder, name);
}

bool HasTraceFacts(const std::string& folder) {
  const std::vector<std::string> names = FolderFiles(folder).List("traces");
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.ends_with(kAboutSuffix);
  });
}

}  // namespace tfprof::session
