#include "profiler/commands/files/profile_shelf.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fmt/format.h"
#include "loaders/core/format.h"
#include "loaders/core/gunzip.h"
#include "loaders/core/registry.h"
#include "profiler/commands/shareable.h"

namespace tfprof::commands {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxOpen = 4;
// The loader looks no further into a folder.
constexpr int kMaxDepth = 10;
// The file that stands for the trace in its folder.
constexpr std::string_view kTraceFile = "metadata";

// Whether a link below `root` leads to something that is not below it. A link
// that leads nowhere leads out: its target may appear later.
bool LeadsOut(const std::string& root, const fs::path& link) {
  std::error_code error;
  const fs::path real = fs::canonical(link, error);
  if (error) return true;
  const fs::path inside = real.lexically_relative(root);
  return inside.empty() || *inside.begin() == "..";
}

// Reads the first bytes of a file, as many as the rules of formats need.
std::string BeginOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string begin(4096, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(file.gcount()));
  return begin;
}

// Whether a file may be one of a profile. Packed ones are not unpacked here.
bool IsProfile(const fs::path& path) {
  const std::string begin = BeginOf(path);
  return loaders::IsGzip(begin) ||
         loaders::SniffFormat(begin, loaders::Formats()).format != nullptr;
}

// Whether `folder` has a file that stands for all files in it, as the metadata
// of a CTF trace do for its streams.
bool IsOneTrace(const fs::path& folder) {
  const loaders::Format* format =
      loaders::SniffFormat(BeginOf(folder / kTraceFile), loaders::Formats())
          .format;
  return format != nullptr && format->folder_file == kTraceFile;
}

// Finds a link that leads out of `root` among the files that a load of `path`
// may read: those in a folder, or those beside a file that belong to it, such
// as the shards of a checkpoint or the streams of a CTF trace. "" if there is
// none.
std::string FindLinkOut(const std::string& root, const fs::path& path) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  const std::string name = path.filename().string();
  const std::string stem = path.stem().string();
  const bool reads_all = folder || name == kTraceFile;
  for (auto at = fs::recursive_directory_iterator(
           folder ? path : path.parent_path(),
           fs::directory_options::skip_permission_denied, error);
       !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    if (!folder || at.depth() >= kMaxDepth) at.disable_recursion_pending();
    std::error_code ignored;
    if (!at->is_symlink(ignored)) continue;
    const std::string found = at->path().filename().string();
    if (!reads_all && !found.starts_with(stem)) continue;
    if (LeadsOut(root, at->path())) {
      return at->path().lexically_relative(root).string();
    }
  }
  return "";
}

}  // namespace

ProfileShelf ProfileShelf::Below(std::string root) {
  return Below(std::move(root), "", {});
}

ProfileShelf ProfileShelf::Below(std::string root, std::string folder,
                                 Companions companions) {
  std::error_code error;
  const fs::path real = fs::canonical(root, error);
  if (!error) root = real.string();
  ProfileShelf shelf;
  if (fs::is_directory(root, error)) {
    shelf.root_ = std::move(root);
    shelf.folder_ = std::move(folder);
    shelf.companions_ = std::move(companions);
  } else {
    loaders::LoadRequest request;
    request.files.push_back(root);
    shelf.named_.push_back(
        {fs::path(root).filename().string(), std::move(request)});
  }
  return shelf;
}

std::vector<ProfileShelf::Listed> ProfileShelf::List(size_t most,
                                                     size_t& more) const {
  std::vector<Listed> list;
  more = 0;
  std::error_code error;
  if (root_.empty()) {
    for (const Named& named : named_) {
      const bool one_file = named.request.files.size() == 1 &&
                            fs::is_regular_file(named.request.files[0], error);
      list.push_back({named.name, one_file ? static_cast<int64_t>(fs::file_size(
                                                 named.request.files[0], error))
                                           : -1});
    }
    return list;
  }
  fs::path last;  // the folder of the last file
  bool is_trace = false;
  for (auto at = fs::recursive_directory_iterator(
           fs::path(root_) / folder_,
           fs::directory_options::skip_permission_denied, error);
       !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored)) continue;
    if (at->is_symlink(ignored) && LeadsOut(root_, at->path())) continue;
    if (at->path().parent_path() != last) {
      last = at->path().parent_path();
      is_trace = IsOneTrace(last);
    }
    if (is_trace && at->path().filename() != kTraceFile) continue;
    if (list.size() == most) {
      ++more;
      continue;
    }
    list.push_back({fs::path(at->path()).lexically_relative(root_).string(),
                    static_cast<int64_t>(at->file_size(ignored))});
  }
  std::sort(list.begin(), list.end(),
            [](const Listed& a, const Listed& b) { return a.name < b.name; });
  return list;
}

std::string ProfileShelf::Newest() const {
  if (root_.empty()) return named_.empty() ? "" : named_[0].name;
  constexpr size_t kAll = std::numeric_limits<size_t>::max();
  size_t more = 0;
  std::vector<std::pair<fs::file_time_type, std::string>> files;
  for (Listed& listed : List(kAll, more)) {
    std::error_code error;
    const auto time = fs::last_write_time(fs::path(root_) / listed.name, error);
    if (!error) files.emplace_back(time, std::move(listed.name));
  }
  // Of files of the same time, the last name: runs are often numbered.
  std::sort(files.begin(), files.end(), std::greater<>());
  for (auto& [time, name] : files) {
    if (IsProfile(fs::path(root_) / name)) return std::move(name);
  }
  return "";
}

absl::StatusOr<ProfileShelf::Named> ProfileShelf::Locate(
    const std::string& name) const {
  if (root_.empty()) {
    for (const Named& named : named_) {
      if (name.empty() || named.name == name) return named;
    }
    if (named_.size() == 1) {
      return absl::NotFoundError(
          fmt::format("there is one profile: {}", named_[0].name));
    }
    return absl::NotFoundError(fmt::format("there is no profile {}", name));
  }
  if (name.empty()) {
    return absl::InvalidArgumentError(
        "name a profile; `profiles` lists what there is");
  }
  std::error_code error;
  // A name with a zero byte would be cut there by the system.
  const bool whole = name.find('\0') == name.npos;
  const fs::path path =
      whole ? fs::canonical(fs::path(root_) / name, error) : fs::path();
  if (!whole || error) {
    return absl::NotFoundError(fmt::format(
        "there is no profile {}; `profiles` lists what there is", name));
  }
  const fs::path inside = path.lexically_relative(root_);
  if (inside.empty() || *inside.begin() == "..") {
    return absl::PermissionDeniedError(
        fmt::format("{} is not below the folder of this server", name));
  }
  Named named{inside.string(), {}};
  named.request.files.push_back(path.string());
  if (companions_) {
    for (std::string& file : companions_(path.string())) {
      named.request.files.push_back(std::move(file));
    }
  }
  return named;
}

absl::Status ProfileShelf::CheckLinks(
    const std::vector<std::string>& files) const {
  if (root_.empty()) return absl::OkStatus();
  for (const std::string& file : files) {
    const std::string link = FindLinkOut(root_, file);
    if (!link.empty()) {
      return absl::PermissionDeniedError(fmt::format(
          "{} is a link that leads out of the folder of this server; name a "
          "file or a folder without such a link",
          link));
    }
  }
  return absl::OkStatus();
}

std::vector<ProfileShelf::Stamp> ProfileShelf::StampsOf(
    const std::vector<std::string>& files) {
  std::vector<Stamp> stamps;
  for (const std::string& file : files) {
    struct stat info = {};
    Stamp stamp;
    if (stat(file.c_str(), &info) == 0) {
      stamp = {info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    }
    stamps.push_back(stamp);
  }
  return stamps;
}

absl::StatusOr<Workspace*> ProfileShelf::Open(const std::string& name,
                                              const options::Options& defaults,
                                              const util::TaskOptions& work,
                                              std::vector<std::string>& notes) {
  absl::StatusOr<Named> named = Locate(name);
  if (!named.ok()) return named.status();
  const auto known =
      std::find_if(open_.begin(), open_.end(),
                   [&](const Opened& o) { return o.name == named->name; });
  if (known != open_.end()) {
    if (known->stamps == StampsOf(known->files)) {
      open_.splice(open_.begin(), open_, known);
      return open_.front().workspace.get();
    }
    open_.erase(known);
  }
  Opened opened;
  opened.name = named->name;
  opened.workspace = std::make_unique<Workspace>();
  Workspace& workspace = *opened.workspace;
  workspace.sources_here = false;
  workspace.inputs = std::move(named->request);
  workspace.defaults = defaults;
  workspace.work = work;
  const std::vector<std::string> asked = workspace.inputs.files;
  absl::Status inside = CheckLinks(asked);
  if (!inside.ok()) return inside;
  auto profile = OpenInputs(workspace.inputs, workspace);
  if (!profile.ok()) return profile.status();
  // A link may have been made in the meantime.
  inside = CheckLinks(asked);
  if (!inside.ok()) return inside;
  workspace.opened =
      hides_environment_ ? Shareable(*profile, work) : *std::move(profile);
  const loaders::Loaded& loaded = workspace.opened->loaded;
  for (std::string& note : LoadNotes(loaded, /*reference=*/false)) {
    notes.push_back(std::move(note));
  }
  for (const loaders::Loaded::Source& source : loaded.sources) {
    opened.files.push_back(source.path);
  }
  opened.stamps = StampsOf(opened.files);
  if (open_.size() == kMaxOpen) open_.pop_back();
  open_.push_front(std::move(opened));
  return open_.front().workspace.get();
}

absl::StatusOr<std::shared_ptr<const Base>> ProfileShelf::OpenBase(
    const std::string& name, const options::Options& defaults,
    const util::TaskOptions& work, std::vector<std::string>& notes) {
  const absl::StatusOr<Workspace*> workspace =
      Open(name, defaults, work, notes);
  if (!workspace.ok()) return workspace.status();
  return std::make_shared<const Base>(
      Base{open_.front().name, (*workspace)->opened});
}

bool ProfileShelf::Forget(const std::string& name) {
  const absl::StatusOr<Named> named = Locate(name);
  return named.ok() && std::erase_if(open_, [&](const Opened& o) {
                         return o.name == named->name;
                       }) > 0;
}

std::vector<std::string> ProfileShelf::OpenNames() const {
  std::vector<std::string> names;
  for (const Opened& opened : open_) names.push_back(opened.name);
  return names;
}

}  // namespace tfprof::commands
