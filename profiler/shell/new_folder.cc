#include "profiler/shell/new_folder.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "util/files/errno_status.h"
#include "util/files/stale_files.h"

namespace tfprof::shell {

NewFolder::NewFolder(std::string path, size_t all_work,
                     const util::Cancellation* cancellation)
    : path_(std::move(path)),
      all_work_(static_cast<double>(std::max<size_t>(all_work, 1))),
      cancellation_(cancellation),
      written_path_(util::UnfinishedName(path_)) {}

NewFolder::~NewFolder() {
  if (!made_) return;
  for (const std::string& file : files_) unlink(file.c_str());
  for (const std::string& folder : folders_) rmdir(folder.c_str());
  rmdir(written_path_.c_str());
}

absl::Status NewFolder::Make() {
  // Report a folder that cannot be replaced before the work.
  if (DIR* dir = opendir(path_.c_str()); dir != nullptr) {
    bool empty = true;
    while (const dirent* entry = readdir(dir)) {
      const std::string_view name = entry->d_name;
      empty &= name == "." || name == "..";
    }
    closedir(dir);
    if (!empty) {
      return absl::AlreadyExistsError(
          fmt::format("{}; the folder is not empty, and its files would be "
                      "loaded together with the new ones: name another folder",
                      path_));
    }
  } else if (errno != ENOENT) {
    return util::ErrnoStatus(errno, path_);
  }
  util::RemoveUnfinished(path_);
  if (mkdir(written_path_.c_str(), 0777) != 0) {
    return util::ErrnoStatus(errno, path_);
  }
  made_ = true;
  bar_.emplace("writing", progress_.bytes, "B");
  return absl::OkStatus();
}

absl::Status NewFolder::Write(
    const std::string& name, size_t work,
    const std::function<absl::Status(util::Sink&)>& write) {
  progress_.begin = work_ / all_work_;
  work_ += static_cast<double>(work);
  progress_.end = work_ / all_work_;
  const std::string file = fmt::format("{}/{}", written_path_, name);
  absl::Status status = MakeFolderOf(name);
  if (status.ok()) {
    status = util::WriteFile(
        file, write, {.progress = &progress_, .cancellation = cancellation_});
  }
  if (status.ok()) {
    files_.push_back(file);
    return status;
  }
  // A message names the folder that was asked for.
  std::string message(status.message());
  if (const size_t at = message.find(written_path_); at != message.npos) {
    message.replace(at, written_path_.size(), path_);
  }
  return absl::Status(status.code(), message);
}

absl::Status NewFolder::MakeFolderOf(const std::string& name) {
  const size_t slash = name.find('/');
  if (slash == name.npos) return absl::OkStatus();
  const std::string folder =
      fmt::format("{}/{}", written_path_, name.substr(0, slash));
  if (std::find(folders_.begin(), folders_.end(), folder) != folders_.end()) {
    return absl::OkStatus();
  }
  if (mkdir(folder.c_str(), 0777) != 0) return util::ErrnoStatus(errno, folder);
  folders_.push_back(folder);
  return absl::OkStatus();
}

absl::Status NewFolder::Commit() {
  bar_.reset();
  if (rename(written_path_.c_str(), path_.c_str()) != 0) {
    return util::ErrnoStatus(errno, path_);
  }
  made_ = false;
  return absl::OkStatus();
}

}  // namespace tfprof::shell
