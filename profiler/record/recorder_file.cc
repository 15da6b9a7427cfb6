#include "profiler/record/recorder_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "fmt/format.h"
#include "profiler/record/stale_recorders.h"
#include "record/library_file.h"
#include "util/files/errno_status.h"
#include "util/files/sink.h"

namespace tfprof::recording {
namespace {

// The loader of programs separates names in LD_PRELOAD by these.
bool CanBePreloaded(const std::string& path) {
  return path.find_first_of(" :\t\n") == path.npos && path.starts_with('/');
}

bool MayRunPrograms(const std::string& folder) {
  struct statvfs system;
  return statvfs(folder.c_str(), &system) == 0 &&
         (system.f_flag & ST_NOEXEC) == 0;
}

absl::Status WriteLibrary(const std::string& path, std::string_view bytes) {
  absl::Status written = util::WriteFile(path, bytes);
  if (written.ok() && chmod(path.c_str(), 0755) != 0) {
    return util::ErrnoStatus(errno, path);
  }
  return written;
}

}  // namespace

RecorderFile::RecorderFile(std::string folder)
    : folder_(std::move(folder)),
      path_(folder_ + "/" + kRecorderLibrary),
      lttng_path_(folder_ + "/" + kLttngLibrary),
      lock_(LockRecorder(folder_)) {}

RecorderFile::RecorderFile(RecorderFile&& other) noexcept
    : folder_(std::exchange(other.folder_, "")),
      path_(std::move(other.path_)),
      lttng_path_(std::move(other.lttng_path_)),
      lock_(std::exchange(other.lock_, -1)) {}

RecorderFile::~RecorderFile() {
  if (lock_ >= 0) close(lock_);
  if (folder_.empty()) return;
  unlink(path_.c_str());
  unlink(lttng_path_.c_str());
  rmdir(folder_.c_str());
}

absl::StatusOr<RecorderFile> RecorderFile::Make(const std::string& folder) {
  const char* const temporary = getenv("TMPDIR");
  std::vector<std::string> places;
  if (temporary != nullptr && *temporary != '\0') places.push_back(temporary);
  places.push_back("/tmp");
  if (!folder.empty()) places.push_back(folder);
  absl::Status failed = absl::FailedPreconditionError(
      "no program may be run from " + absl::StrJoin(places, ", ") +
      ", or the names have a blank or a colon; set TMPDIR to another folder");
  for (const std::string& place : places) {
    if (!CanBePreloaded(place) || !MayRunPrograms(place)) continue;
    RemoveStaleRecorders(place);
    std::string name = fmt::format("{}/{}XXXXXX", place, kRecorderFolder);
    if (mkdtemp(name.data()) == nullptr) {
      failed = util::ErrnoStatus(errno, place);
      continue;
    }
    RecorderFile file(name);
    // A program that gives up its rights must still be able to load it.
    chmod(name.c_str(), 0755);
    absl::Status written = WriteLibrary(file.path(), RecorderLibrary());
    if (written.ok()) {
      written = WriteLibrary(file.lttng_path(), LttngProvider());
    }
    if (written.ok()) return file;
    failed = std::move(written);
  }
  return failed;
}

}  // namespace tfprof::recording
