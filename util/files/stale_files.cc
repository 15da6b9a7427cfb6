#include "util/files/stale_files.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace tfprof::util {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".tmp";

// Checks that `rest` is "PID" or "PID.N" of a process that no longer runs.
bool IsOfDeadProcess(std::string_view rest) {
  pid_t pid = 0;
  const char* end = rest.data() + rest.size();
  const auto [at, error] = std::from_chars(rest.data(), end, pid);
  if (error != std::errc() || pid <= 0) return false;
  const std::string_view more(at, static_cast<size_t>(end - at));
  if (!more.empty() && (more[0] != '.' ||
                        more.find_first_not_of("0123456789", 1) != more.npos)) {
    return false;
  }
  return kill(pid, 0) != 0 && errno == ESRCH;
}

}  // namespace

std::string UnfinishedName(const std::string& path) {
  return path + std::string(kSuffix) + std::to_string(getpid());
}

void RemoveUnfinished(const std::string& path) {
  const fs::path whole(path);
  const std::string prefix = whole.filename().string() + std::string(kSuffix);
  const fs::path folder = whole.has_parent_path() ? whole.parent_path() : ".";
  std::error_code error;
  std::vector<fs::path> unfinished;
  for (auto at = fs::directory_iterator(folder, error);
       !error && at != fs::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(prefix) &&
        IsOfDeadProcess(std::string_view(name).substr(prefix.size()))) {
      unfinished.push_back(at->path());
    }
  }
  for (const fs::path& left : unfinished) {
    // This program's folders have no subfolders.
    std::error_code ignored;
    if (fs::is_directory(fs::symlink_status(left, ignored))) {
      std::vector<fs::path> files;
      for (auto at = fs::directory_iterator(left, ignored);
           !ignored && at != fs::directory_iterator(); at.increment(ignored)) {
        if (!fs::is_directory(at->symlink_status(error))) {
          files.push_back(at->path());
        }
      }
      for (const fs::path& file : files) fs::remove(file, error);
    }
    fs::remove(left, error);
  }
}

}  // namespace tfprof::util
