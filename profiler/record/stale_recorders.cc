#include "profiler/record/stale_recorders.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "util/text/ascii.h"

namespace tfprof::recording {
namespace {

namespace fs = std::filesystem;

int OpenFolder(const std::string& folder) {
  return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// True if a process whose memory this user may read has a file of the folder
// in it.
bool IsLoaded(const std::string& folder) {
  std::error_code error;
  for (const fs::directory_entry& process :
       fs::directory_iterator("/proc", error)) {
    const std::string name = process.path().filename();
    if (!std::ranges::all_of(name, util::IsDigit)) continue;
    std::ifstream maps(process.path() / "maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.find(folder + "/") != line.npos) return true;
    }
  }
  return false;
}

void RemoveIfStale(const std::string& folder) {
  const int fd = OpenFolder(folder);
  if (fd < 0) return;
  struct stat info = {};
  if (fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
      flock(fd, LOCK_EX | LOCK_NB) == 0 && !IsLoaded(folder)) {
    unlinkat(fd, kRecorderLibrary, 0);
    unlinkat(fd, kLttngLibrary, 0);
    rmdir(folder.c_str());
  }
  close(fd);
}

}  // namespace

int LockRecorder(const std::string& folder) {
  const int fd = OpenFolder(folder);
  if (fd >= 0) flock(fd, LOCK_SH | LOCK_NB);
  return fd;
}

void RemoveStaleRecorders(const std::string& place) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(place, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kRecorderFolder)) folders.push_back(entry.path());
  }
  for (const std::string& folder : folders) RemoveIfStale(folder);
}

}  // namespace tfprof::recording
